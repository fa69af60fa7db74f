import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "ဓာတ်ပုံရိုက်ရန်",
  record: "အသံမက်ဆေ့ချ် ဖမ်းရန်",
  recording: "အသံဖမ်းနေသည်",
  recordDone: "အသံဖမ်းထားသည်ကို ထည့်ရန်",
  recordDiscard: "အသံဖမ်းထားသည်ကို ဖယ်ရန်",
  voiceMessage: "အသံမက်ဆေ့ချ်",
  micBlocked: "မိုက်ခရိုဖုန်း ပိတ်ထားသည်။ ဘရောက်ဇာ ဆက်တင်တွင် ခွင့်ပြုပါ။",
  micFailed: "ယခု မိုက်ခရိုဖုန်းကို သုံး၍မရပါ။",

  emojiSearch: "အီမိုဂျီ ရှာရန်",
  emojiNone: "အီမိုဂျီ မတွေ့ပါ",
  emojiFaces: "မျက်နှာများ",
  emojiPeople: "လူများ",
  emojiNature: "တိရစ္ဆာန်နှင့် သဘာဝ",
  emojiFood: "အစားအသောက်",
  emojiTravel: "ခရီးနှင့် နေရာများ",
  emojiThings: "လှုပ်ရှားမှုနှင့် ပစ္စည်းများ",
  emojiSymbols: "သင်္ကေတများ",

  helpTitle: "အကူအညီ ဆောင်းပါးများ",
  helpSearch: "အကူအညီ ရှာရန်",
  helpNone: "ဆောင်းပါး မတွေ့ပါ",
  helpStart: "ကျွန်ုပ်တို့ထံ မက်ဆေ့ချ်ပို့ရန်",
  helpContinue: "စကားဝိုင်း ဆက်ရန်",
  back: "နောက်သို့",
  helpOpen: "ဆောင်းပါးအပြည့်အစုံ ဖွင့်ရန်",

  choose: "ရွေးချယ်ပါ",
  fieldWrong: "ဤနေရာကို စစ်ဆေးပါ။",
  yes: "ဟုတ်ကဲ့",
};
