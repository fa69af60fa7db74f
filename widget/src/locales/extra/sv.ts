import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Ta ett foto",
  record: "Spela in ett röstmeddelande",
  recording: "Spelar in",
  recordDone: "Lägg till inspelningen",
  recordDiscard: "Ta bort inspelningen",
  voiceMessage: "Röstmeddelande",
  micBlocked: "Mikrofonen är blockerad. Tillåt den i webbläsarens inställningar.",
  micFailed: "Mikrofonen kan inte användas just nu.",

  emojiSearch: "Sök emoji",
  emojiNone: "Ingen emoji hittades",
  emojiFaces: "Smileys",
  emojiPeople: "Personer",
  emojiNature: "Djur och natur",
  emojiFood: "Mat och dryck",
  emojiTravel: "Resor och platser",
  emojiThings: "Aktiviteter och saker",
  emojiSymbols: "Symboler",

  helpTitle: "Hjälpartiklar",
  helpSearch: "Sök efter hjälp",
  helpNone: "Inga artiklar hittades",
  helpStart: "Skicka ett meddelande till oss",
  helpContinue: "Fortsätt konversationen",
  back: "Tillbaka",
  helpOpen: "Öppna hela artikeln",

  choose: "Välj",
  fieldWrong: "Kontrollera det här fältet.",
  yes: "Ja",
};
