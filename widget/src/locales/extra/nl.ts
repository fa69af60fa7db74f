import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Foto maken",
  record: "Spraakbericht opnemen",
  recording: "Bezig met opnemen",
  recordDone: "Opname toevoegen",
  recordDiscard: "Opname verwijderen",
  voiceMessage: "Spraakbericht",
  micBlocked: "De microfoon is geblokkeerd. Sta het gebruik toe in de instellingen van je browser.",
  micFailed: "De microfoon kan nu niet worden gebruikt.",

  emojiSearch: "Emoji zoeken",
  emojiNone: "Geen emoji gevonden",
  emojiFaces: "Smileys",
  emojiPeople: "Mensen",
  emojiNature: "Dieren en natuur",
  emojiFood: "Eten en drinken",
  emojiTravel: "Reizen en plaatsen",
  emojiThings: "Activiteiten en objecten",
  emojiSymbols: "Symbolen",

  helpTitle: "Helpartikelen",
  helpSearch: "Zoeken in helpartikelen",
  helpNone: "Geen artikelen gevonden",
  helpStart: "Stuur ons een bericht",
  helpContinue: "Gesprek voortzetten",
  back: "Terug",
  helpOpen: "Volledig artikel openen",

  choose: "Maak een keuze",
  fieldWrong: "Controleer dit veld.",
  yes: "Ja",
};
