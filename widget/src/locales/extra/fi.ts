import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Ota kuva",
  record: "Nauhoita ääniviesti",
  recording: "Nauhoitetaan",
  recordDone: "Lisää nauhoitus",
  recordDiscard: "Hylkää nauhoitus",
  voiceMessage: "Ääniviesti",
  micBlocked: "Mikrofonin käyttö on estetty. Salli se selaimen asetuksissa.",
  micFailed: "Mikrofonia ei voi käyttää juuri nyt.",

  emojiSearch: "Hae emojia",
  emojiNone: "Emojia ei löytynyt",
  emojiFaces: "Hymiöt",
  emojiPeople: "Ihmiset",
  emojiNature: "Eläimet ja luonto",
  emojiFood: "Ruoka ja juoma",
  emojiTravel: "Matkailu ja paikat",
  emojiThings: "Aktiviteetit ja esineet",
  emojiSymbols: "Symbolit",

  helpTitle: "Ohjeartikkelit",
  helpSearch: "Hae ohjeita",
  helpNone: "Artikkeleita ei löytynyt",
  helpStart: "Lähetä meille viesti",
  helpContinue: "Jatka keskustelua",
  back: "Takaisin",
  helpOpen: "Avaa koko artikkeli",

  choose: "Valitse",
  fieldWrong: "Tarkista tämä kenttä.",
  yes: "Kyllä",
};
