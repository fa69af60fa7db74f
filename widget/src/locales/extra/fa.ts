import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "گرفتن عکس",
  record: "ضبط پیام صوتی",
  recording: "در حال ضبط",
  recordDone: "افزودن صدای ضبط‌شده",
  recordDiscard: "حذف صدای ضبط‌شده",
  voiceMessage: "پیام صوتی",
  micBlocked: "میکروفون مسدود است. در تنظیمات مرورگر به آن اجازه دهید.",
  micFailed: "در حال حاضر نمی‌توان از میکروفون استفاده کرد.",

  emojiSearch: "جستجوی ایموجی",
  emojiNone: "ایموجی‌ای پیدا نشد",
  emojiFaces: "شکلک‌ها",
  emojiPeople: "افراد",
  emojiNature: "حیوانات و طبیعت",
  emojiFood: "غذا و نوشیدنی",
  emojiTravel: "سفر و مکان‌ها",
  emojiThings: "فعالیت‌ها و اشیا",
  emojiSymbols: "نمادها",

  helpTitle: "مقاله‌های راهنما",
  helpSearch: "جستجو در راهنما",
  helpNone: "مقاله‌ای پیدا نشد",
  helpStart: "ارسال پیام به ما",
  helpContinue: "ادامهٔ گفتگو",
  back: "بازگشت",
  helpOpen: "باز کردن مقالهٔ کامل",

  choose: "انتخاب کنید",
  fieldWrong: "لطفاً این بخش را بررسی کنید.",
  yes: "بله",
};
