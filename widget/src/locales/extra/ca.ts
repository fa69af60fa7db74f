import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Fes una foto",
  record: "Grava un missatge de veu",
  recording: "S’està gravant",
  recordDone: "Afegeix la gravació",
  recordDiscard: "Descarta la gravació",
  voiceMessage: "Missatge de veu",
  micBlocked: "El micròfon està bloquejat. Permet-lo a la configuració del navegador.",
  micFailed: "Ara mateix no es pot fer servir el micròfon.",

  emojiSearch: "Cerca emojis",
  emojiNone: "No s’ha trobat cap emoji",
  emojiFaces: "Cares",
  emojiPeople: "Persones",
  emojiNature: "Animals i natura",
  emojiFood: "Menjar i beguda",
  emojiTravel: "Viatges i llocs",
  emojiThings: "Activitats i objectes",
  emojiSymbols: "Símbols",

  helpTitle: "Articles d’ajuda",
  helpSearch: "Cerca a l’ajuda",
  helpNone: "No s’ha trobat cap article",
  helpStart: "Envia’ns un missatge",
  helpContinue: "Continua la conversa",
  back: "Enrere",
  helpOpen: "Obre l’article complet",

  choose: "Tria una opció",
  fieldWrong: "Revisa aquest camp.",
  yes: "Sí",
};
