import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Fotografuoti",
  record: "Įrašyti balso žinutę",
  recording: "Įrašoma",
  recordDone: "Pridėti įrašą",
  recordDiscard: "Atmesti įrašą",
  voiceMessage: "Balso žinutė",
  micBlocked: "Mikrofonas užblokuotas. Leiskite jį naudoti naršyklės nustatymuose.",
  micFailed: "Mikrofono dabar naudoti negalima.",

  emojiSearch: "Ieškoti jaustukų",
  emojiNone: "Jaustukų nerasta",
  emojiFaces: "Šypsenėlės",
  emojiPeople: "Žmonės",
  emojiNature: "Gyvūnai ir gamta",
  emojiFood: "Maistas ir gėrimai",
  emojiTravel: "Kelionės ir vietos",
  emojiThings: "Veiklos ir daiktai",
  emojiSymbols: "Simboliai",

  helpTitle: "Pagalbos straipsniai",
  helpSearch: "Ieškoti pagalboje",
  helpNone: "Straipsnių nerasta",
  helpStart: "Parašyti mums",
  helpContinue: "Tęsti pokalbį",
  back: "Atgal",
  helpOpen: "Atverti visą straipsnį",

  choose: "Pasirinkite",
  fieldWrong: "Patikrinkite šį lauką.",
  yes: "Taip",
};
