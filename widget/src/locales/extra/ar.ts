import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "التقاط صورة",
  record: "تسجيل رسالة صوتية",
  recording: "جارٍ التسجيل",
  recordDone: "إضافة التسجيل",
  recordDiscard: "حذف التسجيل",
  voiceMessage: "رسالة صوتية",
  micBlocked: "الميكروفون محظور. يُرجى السماح به من إعدادات المتصفح.",
  micFailed: "لا يمكن استخدام الميكروفون حاليًا.",

  emojiSearch: "البحث عن رمز تعبيري",
  emojiNone: "لم يُعثر على رموز تعبيرية",
  emojiFaces: "الوجوه المبتسمة",
  emojiPeople: "الأشخاص",
  emojiNature: "الحيوانات والطبيعة",
  emojiFood: "الطعام والشراب",
  emojiTravel: "السفر والأماكن",
  emojiThings: "الأنشطة والأشياء",
  emojiSymbols: "الرموز",

  helpTitle: "مقالات المساعدة",
  helpSearch: "البحث في المساعدة",
  helpNone: "لم يُعثر على مقالات",
  helpStart: "إرسال رسالة إلينا",
  helpContinue: "متابعة المحادثة",
  back: "رجوع",
  helpOpen: "فتح المقالة كاملة",

  choose: "يُرجى الاختيار",
  fieldWrong: "يُرجى التحقق من هذا الحقل.",
  yes: "نعم",
};
