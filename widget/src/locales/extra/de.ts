import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Foto aufnehmen",
  record: "Sprachnachricht aufnehmen",
  recording: "Aufnahme läuft",
  recordDone: "Aufnahme hinzufügen",
  recordDiscard: "Aufnahme verwerfen",
  voiceMessage: "Sprachnachricht",
  micBlocked: "Das Mikrofon ist blockiert. Bitte erlauben Sie es in den Einstellungen des Browsers.",
  micFailed: "Das Mikrofon kann gerade nicht verwendet werden.",

  emojiSearch: "Emoji suchen",
  emojiNone: "Keine Emojis gefunden",
  emojiFaces: "Smileys",
  emojiPeople: "Personen",
  emojiNature: "Tiere und Natur",
  emojiFood: "Essen und Trinken",
  emojiTravel: "Reisen und Orte",
  emojiThings: "Aktivitäten und Objekte",
  emojiSymbols: "Symbole",

  helpTitle: "Hilfeartikel",
  helpSearch: "Hilfe durchsuchen",
  helpNone: "Keine Artikel gefunden",
  helpStart: "Schreiben Sie uns",
  helpContinue: "Unterhaltung fortsetzen",
  back: "Zurück",
  helpOpen: "Ganzen Artikel öffnen",

  choose: "Bitte wählen",
  fieldWrong: "Bitte prüfen Sie dieses Feld.",
  yes: "Ja",
};
