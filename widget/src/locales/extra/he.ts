import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "צילום תמונה",
  record: "הקלטת הודעה קולית",
  recording: "מתבצעת הקלטה",
  recordDone: "הוספת ההקלטה",
  recordDiscard: "מחיקת ההקלטה",
  voiceMessage: "הודעה קולית",
  micBlocked: "המיקרופון חסום. אפשרו אותו בהגדרות הדפדפן.",
  micFailed: "אי אפשר להשתמש במיקרופון כרגע.",

  emojiSearch: "חיפוש אימוג׳י",
  emojiNone: "לא נמצאו אימוג׳ים",
  emojiFaces: "סמיילים",
  emojiPeople: "אנשים",
  emojiNature: "בעלי חיים וטבע",
  emojiFood: "אוכל ושתייה",
  emojiTravel: "נסיעות ומקומות",
  emojiThings: "פעילויות וחפצים",
  emojiSymbols: "סמלים",

  helpTitle: "מאמרי עזרה",
  helpSearch: "חיפוש בעזרה",
  helpNone: "לא נמצאו מאמרים",
  helpStart: "שליחת הודעה אלינו",
  helpContinue: "המשך השיחה",
  back: "חזרה",
  helpOpen: "פתיחת המאמר המלא",

  choose: "נא לבחור",
  fieldWrong: "נא לבדוק את השדה.",
  yes: "כן",
};
