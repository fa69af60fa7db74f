import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Ta bilde",
  record: "Ta opp talemelding",
  recording: "Tar opp",
  recordDone: "Legg til opptaket",
  recordDiscard: "Forkast opptaket",
  voiceMessage: "Talemelding",
  micBlocked: "Mikrofonen er blokkert. Tillat den i nettleserens innstillinger.",
  micFailed: "Mikrofonen kan ikke brukes akkurat nå.",

  emojiSearch: "Søk etter emoji",
  emojiNone: "Fant ingen emoji",
  emojiFaces: "Smilefjes",
  emojiPeople: "Personer",
  emojiNature: "Dyr og natur",
  emojiFood: "Mat og drikke",
  emojiTravel: "Reise og steder",
  emojiThings: "Aktiviteter og ting",
  emojiSymbols: "Symboler",

  helpTitle: "Hjelpeartikler",
  helpSearch: "Søk etter hjelp",
  helpNone: "Fant ingen artikler",
  helpStart: "Send oss en melding",
  helpContinue: "Fortsett samtalen",
  back: "Tilbake",
  helpOpen: "Åpne hele artikkelen",

  choose: "Velg",
  fieldWrong: "Sjekk dette feltet.",
  yes: "Ja",
};
