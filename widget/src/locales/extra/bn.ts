import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "ছবি তুলুন",
  record: "ভয়েস মেসেজ রেকর্ড করুন",
  recording: "রেকর্ড হচ্ছে",
  recordDone: "রেকর্ডিং যোগ করুন",
  recordDiscard: "রেকর্ডিং বাদ দিন",
  voiceMessage: "ভয়েস মেসেজ",
  micBlocked: "মাইক্রোফোন ব্লক করা আছে। ব্রাউজারের সেটিংস থেকে অনুমতি দিন।",
  micFailed: "এই মুহূর্তে মাইক্রোফোন ব্যবহার করা যাচ্ছে না।",

  emojiSearch: "ইমোজি খুঁজুন",
  emojiNone: "কোনো ইমোজি পাওয়া যায়নি",
  emojiFaces: "স্মাইলি",
  emojiPeople: "মানুষ",
  emojiNature: "প্রাণী ও প্রকৃতি",
  emojiFood: "খাবার ও পানীয়",
  emojiTravel: "ভ্রমণ ও জায়গা",
  emojiThings: "কার্যকলাপ ও জিনিসপত্র",
  emojiSymbols: "চিহ্ন",

  helpTitle: "সহায়তার নিবন্ধ",
  helpSearch: "সহায়তা খুঁজুন",
  helpNone: "কোনো নিবন্ধ পাওয়া যায়নি",
  helpStart: "আমাদের মেসেজ পাঠান",
  helpContinue: "কথোপকথন চালিয়ে যান",
  back: "ফিরে যান",
  helpOpen: "পুরো নিবন্ধ খুলুন",

  choose: "বেছে নিন",
  fieldWrong: "এই ঘরটি আবার দেখুন।",
  yes: "হ্যাঁ",
};
