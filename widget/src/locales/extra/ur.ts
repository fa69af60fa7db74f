import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "تصویر لیں",
  record: "صوتی پیغام ریکارڈ کریں",
  recording: "ریکارڈنگ جاری ہے",
  recordDone: "ریکارڈنگ شامل کریں",
  recordDiscard: "ریکارڈنگ ہٹائیں",
  voiceMessage: "صوتی پیغام",
  micBlocked: "مائیکروفون بلاک ہے۔ براؤزر کی سیٹنگز میں اس کی اجازت دیں۔",
  micFailed: "اس وقت مائیکروفون استعمال نہیں ہو سکتا۔",

  emojiSearch: "ایموجی تلاش کریں",
  emojiNone: "کوئی ایموجی نہیں ملا",
  emojiFaces: "سمائلیز",
  emojiPeople: "لوگ",
  emojiNature: "جانور اور قدرت",
  emojiFood: "کھانا پینا",
  emojiTravel: "سفر اور مقامات",
  emojiThings: "سرگرمیاں اور چیزیں",
  emojiSymbols: "علامات",

  helpTitle: "مدد کے مضامین",
  helpSearch: "مدد تلاش کریں",
  helpNone: "کوئی مضمون نہیں ملا",
  helpStart: "ہمیں پیغام بھیجیں",
  helpContinue: "گفتگو جاری رکھیں",
  back: "واپس",
  helpOpen: "پورا مضمون کھولیں",

  choose: "منتخب کریں",
  fieldWrong: "یہ خانہ دوبارہ دیکھیں۔",
  yes: "ہاں",
};
