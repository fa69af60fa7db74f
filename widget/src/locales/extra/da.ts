import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Tag et billede",
  record: "Optag en talebesked",
  recording: "Optager",
  recordDone: "Tilføj optagelsen",
  recordDiscard: "Kassér optagelsen",
  voiceMessage: "Talebesked",
  micBlocked: "Mikrofonen er blokeret. Tillad den i browserens indstillinger.",
  micFailed: "Mikrofonen kan ikke bruges lige nu.",

  emojiSearch: "Søg efter emoji",
  emojiNone: "Ingen emoji fundet",
  emojiFaces: "Smileyer",
  emojiPeople: "Personer",
  emojiNature: "Dyr og natur",
  emojiFood: "Mad og drikke",
  emojiTravel: "Rejser og steder",
  emojiThings: "Aktiviteter og ting",
  emojiSymbols: "Symboler",

  helpTitle: "Hjælpeartikler",
  helpSearch: "Søg efter hjælp",
  helpNone: "Ingen artikler fundet",
  helpStart: "Skriv til os",
  helpContinue: "Fortsæt samtalen",
  back: "Tilbage",
  helpOpen: "Åbn hele artiklen",

  choose: "Vælg",
  fieldWrong: "Tjek dette felt.",
  yes: "Ja",
};
