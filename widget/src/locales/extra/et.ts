import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Tee foto",
  record: "Salvesta häälsõnum",
  recording: "Salvestamine",
  recordDone: "Lisa salvestis",
  recordDiscard: "Tühista salvestis",
  voiceMessage: "Häälsõnum",
  micBlocked: "Mikrofon on blokeeritud. Lubage see brauseri seadetes.",
  micFailed: "Mikrofoni ei saa praegu kasutada.",

  emojiSearch: "Otsi emotikone",
  emojiNone: "Emotikone ei leitud",
  emojiFaces: "Näod",
  emojiPeople: "Inimesed",
  emojiNature: "Loomad ja loodus",
  emojiFood: "Söök ja jook",
  emojiTravel: "Reisimine ja kohad",
  emojiThings: "Tegevused ja esemed",
  emojiSymbols: "Sümbolid",

  helpTitle: "Abiartiklid",
  helpSearch: "Otsi abist",
  helpNone: "Artikleid ei leitud",
  helpStart: "Saatke meile sõnum",
  helpContinue: "Jätka vestlust",
  back: "Tagasi",
  helpOpen: "Ava kogu artikkel",

  choose: "Palun valige",
  fieldWrong: "Palun kontrollige seda välja.",
  yes: "Jah",
};
