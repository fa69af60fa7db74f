import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Piga picha",
  record: "Rekodi ujumbe wa sauti",
  recording: "Inarekodi",
  recordDone: "Ongeza rekodi",
  recordDiscard: "Futa rekodi",
  voiceMessage: "Ujumbe wa sauti",
  micBlocked: "Maikrofoni imezuiwa. Iruhusu kwenye mipangilio ya kivinjari.",
  micFailed: "Maikrofoni haiwezi kutumika kwa sasa.",

  emojiSearch: "Tafuta emoji",
  emojiNone: "Hakuna emoji iliyopatikana",
  emojiFaces: "Nyuso",
  emojiPeople: "Watu",
  emojiNature: "Wanyama na mazingira",
  emojiFood: "Vyakula na vinywaji",
  emojiTravel: "Safari na maeneo",
  emojiThings: "Shughuli na vitu",
  emojiSymbols: "Alama",

  helpTitle: "Makala ya usaidizi",
  helpSearch: "Tafuta usaidizi",
  helpNone: "Hakuna makala yaliyopatikana",
  helpStart: "Tutumie ujumbe",
  helpContinue: "Endelea na mazungumzo",
  back: "Rudi",
  helpOpen: "Fungua makala yote",

  choose: "Tafadhali chagua",
  fieldWrong: "Tafadhali angalia sehemu hii.",
  yes: "Ndiyo",
};
