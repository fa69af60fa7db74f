import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Scatta una foto",
  record: "Registra un messaggio vocale",
  recording: "Registrazione in corso",
  recordDone: "Aggiungi la registrazione",
  recordDiscard: "Elimina la registrazione",
  voiceMessage: "Messaggio vocale",
  micBlocked: "Il microfono è bloccato. Consenti l’accesso nelle impostazioni del browser.",
  micFailed: "Al momento non è possibile usare il microfono.",

  emojiSearch: "Cerca emoji",
  emojiNone: "Nessuna emoji trovata",
  emojiFaces: "Faccine",
  emojiPeople: "Persone",
  emojiNature: "Animali e natura",
  emojiFood: "Cibo e bevande",
  emojiTravel: "Viaggi e luoghi",
  emojiThings: "Attività e oggetti",
  emojiSymbols: "Simboli",

  helpTitle: "Articoli di assistenza",
  helpSearch: "Cerca negli articoli",
  helpNone: "Nessun articolo trovato",
  helpStart: "Inviaci un messaggio",
  helpContinue: "Continua la conversazione",
  back: "Indietro",
  helpOpen: "Apri l’articolo completo",

  choose: "Scegli",
  fieldWrong: "Controlla questo campo.",
  yes: "Sì",
};
