import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Suratga olish",
  record: "Ovozli xabar yozish",
  recording: "Yozilmoqda",
  recordDone: "Yozuvni qoʻshish",
  recordDiscard: "Yozuvni oʻchirish",
  voiceMessage: "Ovozli xabar",
  micBlocked: "Mikrofon bloklangan. Brauzer sozlamalarida unga ruxsat bering.",
  micFailed: "Hozir mikrofondan foydalanib boʻlmaydi.",

  emojiSearch: "Emoji qidirish",
  emojiNone: "Emoji topilmadi",
  emojiFaces: "Smayliklar",
  emojiPeople: "Odamlar",
  emojiNature: "Hayvonlar va tabiat",
  emojiFood: "Taomlar va ichimliklar",
  emojiTravel: "Sayohat va joylar",
  emojiThings: "Mashgʻulotlar va buyumlar",
  emojiSymbols: "Belgilar",

  helpTitle: "Yordam maqolalari",
  helpSearch: "Yordam qidirish",
  helpNone: "Maqola topilmadi",
  helpStart: "Bizga yozish",
  helpContinue: "Suhbatni davom ettirish",
  back: "Orqaga",
  helpOpen: "Maqolani toʻliq ochish",

  choose: "Tanlang",
  fieldWrong: "Bu maydonni tekshiring.",
  yes: "Ha",
};
