import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Kumuha ng litrato",
  record: "Mag-record ng voice message",
  recording: "Nagre-record",
  recordDone: "Idagdag ang recording",
  recordDiscard: "Itapon ang recording",
  voiceMessage: "Voice message",
  micBlocked: "Naka-block ang mikropono. Payagan ito sa settings ng browser.",
  micFailed: "Hindi magamit ang mikropono ngayon.",

  emojiSearch: "Maghanap ng emoji",
  emojiNone: "Walang nakitang emoji",
  emojiFaces: "Mga smiley",
  emojiPeople: "Mga tao",
  emojiNature: "Mga hayop at kalikasan",
  emojiFood: "Pagkain at inumin",
  emojiTravel: "Paglalakbay at mga lugar",
  emojiThings: "Mga gawain at bagay",
  emojiSymbols: "Mga simbolo",

  helpTitle: "Mga artikulo ng tulong",
  helpSearch: "Maghanap sa tulong",
  helpNone: "Walang nakitang artikulo",
  helpStart: "Magpadala ng mensahe sa amin",
  helpContinue: "Ituloy ang usapan",
  back: "Bumalik",
  helpOpen: "Buksan ang buong artikulo",

  choose: "Pumili",
  fieldWrong: "Pakitingnan ulit ito.",
  yes: "Oo",
};
