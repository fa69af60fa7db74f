import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "انځور واخلئ",
  record: "غږیز پیغام ثبت کړئ",
  recording: "د ثبتولو په حال کې",
  recordDone: "ثبت شوی غږ ورزیات کړئ",
  recordDiscard: "ثبت شوی غږ لرې کړئ",
  voiceMessage: "غږیز پیغام",
  micBlocked: "مایکروفون بند دی. د براوزر په امستنو کې اجازه ورکړئ.",
  micFailed: "اوس مایکروفون نه شي کارول کېدای.",

  emojiSearch: "ایموجي ولټوئ",
  emojiNone: "ایموجي ونه موندل شوه",
  emojiFaces: "موسکاګانې",
  emojiPeople: "خلک",
  emojiNature: "ژوي او طبیعت",
  emojiFood: "خواړه او څښاک",
  emojiTravel: "سفر او ځایونه",
  emojiThings: "فعالیتونه او شیان",
  emojiSymbols: "نښې",

  helpTitle: "د مرستې لیکنې",
  helpSearch: "په مرسته کې ولټوئ",
  helpNone: "لیکنه ونه موندل شوه",
  helpStart: "موږ ته پیغام ولېږئ",
  helpContinue: "خبرو اترو ته دوام ورکړئ",
  back: "شاته",
  helpOpen: "بشپړه لیکنه پرانیزئ",

  choose: "وټاکئ",
  fieldWrong: "مهرباني وکړئ دا وګورئ.",
  yes: "هو",
};
