import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Snimi fotografiju",
  record: "Snimi glasovnu poruku",
  recording: "Snimanje",
  recordDone: "Dodaj snimku",
  recordDiscard: "Odbaci snimku",
  voiceMessage: "Glasovna poruka",
  micBlocked: "Mikrofon je blokiran. Dopustite ga u postavkama preglednika.",
  micFailed: "Mikrofon se trenutačno ne može koristiti.",

  emojiSearch: "Pretraži emojije",
  emojiNone: "Nema pronađenih emojija",
  emojiFaces: "Smajlići",
  emojiPeople: "Ljudi",
  emojiNature: "Životinje i priroda",
  emojiFood: "Hrana i piće",
  emojiTravel: "Putovanja i mjesta",
  emojiThings: "Aktivnosti i predmeti",
  emojiSymbols: "Simboli",

  helpTitle: "Članci za pomoć",
  helpSearch: "Pretraži pomoć",
  helpNone: "Nema pronađenih članaka",
  helpStart: "Pošaljite nam poruku",
  helpContinue: "Nastavi razgovor",
  back: "Natrag",
  helpOpen: "Otvori cijeli članak",

  choose: "Odaberite",
  fieldWrong: "Provjerite ovo polje.",
  yes: "Da",
};
