import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Zrób zdjęcie",
  record: "Nagraj wiadomość głosową",
  recording: "Nagrywanie",
  recordDone: "Dodaj nagranie",
  recordDiscard: "Odrzuć nagranie",
  voiceMessage: "Wiadomość głosowa",
  micBlocked: "Mikrofon jest zablokowany. Zezwól na jego użycie w ustawieniach przeglądarki.",
  micFailed: "Nie można teraz użyć mikrofonu.",

  emojiSearch: "Szukaj emoji",
  emojiNone: "Nie znaleziono emoji",
  emojiFaces: "Buźki",
  emojiPeople: "Ludzie",
  emojiNature: "Zwierzęta i przyroda",
  emojiFood: "Jedzenie i napoje",
  emojiTravel: "Podróże i miejsca",
  emojiThings: "Aktywności i przedmioty",
  emojiSymbols: "Symbole",

  helpTitle: "Artykuły pomocy",
  helpSearch: "Szukaj w pomocy",
  helpNone: "Nie znaleziono artykułów",
  helpStart: "Napisz do nas",
  helpContinue: "Kontynuuj rozmowę",
  back: "Wstecz",
  helpOpen: "Otwórz cały artykuł",

  choose: "Wybierz",
  fieldWrong: "Sprawdź to pole.",
  yes: "Tak",
};
