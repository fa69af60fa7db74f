import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Posnemi fotografijo",
  record: "Posnemi glasovno sporočilo",
  recording: "Snemanje",
  recordDone: "Dodaj posnetek",
  recordDiscard: "Zavrzi posnetek",
  voiceMessage: "Glasovno sporočilo",
  micBlocked: "Mikrofon je blokiran. Dovolite ga v nastavitvah brskalnika.",
  micFailed: "Mikrofona trenutno ni mogoče uporabiti.",

  emojiSearch: "Poišči emoji",
  emojiNone: "Ni najdenih emojijev",
  emojiFaces: "Smeški",
  emojiPeople: "Ljudje",
  emojiNature: "Živali in narava",
  emojiFood: "Hrana in pijača",
  emojiTravel: "Potovanja in kraji",
  emojiThings: "Dejavnosti in predmeti",
  emojiSymbols: "Simboli",

  helpTitle: "Članki za pomoč",
  helpSearch: "Išči v pomoči",
  helpNone: "Ni najdenih člankov",
  helpStart: "Pošljite nam sporočilo",
  helpContinue: "Nadaljuj pogovor",
  back: "Nazaj",
  helpOpen: "Odpri celoten članek",

  choose: "Izberite",
  fieldWrong: "Preverite to polje.",
  yes: "Da",
};
