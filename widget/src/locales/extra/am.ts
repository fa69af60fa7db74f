import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "ፎቶ አንሳ",
  record: "የድምፅ መልዕክት ቅረጽ",
  recording: "በመቅረጽ ላይ",
  recordDone: "ቅጂውን አክል",
  recordDiscard: "ቅጂውን አስወግድ",
  voiceMessage: "የድምፅ መልዕክት",
  micBlocked: "ማይክሮፎኑ ታግዷል። በአሳሽዎ ቅንብሮች ውስጥ ይፍቀዱለት።",
  micFailed: "ማይክሮፎኑን አሁን መጠቀም አልተቻለም።",

  emojiSearch: "ስሜት ገላጭ ምስል ፈልግ",
  emojiNone: "ምንም ስሜት ገላጭ ምስል አልተገኘም",
  emojiFaces: "ፈገግታዎች",
  emojiPeople: "ሰዎች",
  emojiNature: "እንስሳት እና ተፈጥሮ",
  emojiFood: "ምግብ እና መጠጥ",
  emojiTravel: "ጉዞ እና ቦታዎች",
  emojiThings: "እንቅስቃሴዎች እና ቁሶች",
  emojiSymbols: "ምልክቶች",

  helpTitle: "የእገዛ ጽሑፎች",
  helpSearch: "እገዛ ፈልግ",
  helpNone: "ምንም ጽሑፍ አልተገኘም",
  helpStart: "መልዕክት ይላኩልን",
  helpContinue: "ውይይቱን ቀጥል",
  back: "ተመለስ",
  helpOpen: "ሙሉ ጽሑፉን ክፈት",

  choose: "እባክዎ ይምረጡ",
  fieldWrong: "እባክዎ ይህን ያረጋግጡ።",
  yes: "አዎ",
};
