import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Snimi fotografiju",
  record: "Snimi glasovnu poruku",
  recording: "Snimanje",
  recordDone: "Dodaj snimak",
  recordDiscard: "Odbaci snimak",
  voiceMessage: "Glasovna poruka",
  micBlocked: "Mikrofon je blokiran. Dozvolite ga u podešavanjima pregledača.",
  micFailed: "Mikrofon trenutno ne može da se koristi.",

  emojiSearch: "Pretraži emodžije",
  emojiNone: "Nije pronađen nijedan emodži",
  emojiFaces: "Smajliji",
  emojiPeople: "Ljudi",
  emojiNature: "Životinje i priroda",
  emojiFood: "Hrana i piće",
  emojiTravel: "Putovanja i mesta",
  emojiThings: "Aktivnosti i predmeti",
  emojiSymbols: "Simboli",

  helpTitle: "Članci za pomoć",
  helpSearch: "Pretraži pomoć",
  helpNone: "Nije pronađen nijedan članak",
  helpStart: "Pošaljite nam poruku",
  helpContinue: "Nastavi razgovor",
  back: "Nazad",
  helpOpen: "Otvori ceo članak",

  choose: "Izaberite",
  fieldWrong: "Proverite ovo polje.",
  yes: "Da",
};
