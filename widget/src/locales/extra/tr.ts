import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Fotoğraf çek",
  record: "Sesli mesaj kaydet",
  recording: "Kaydediliyor",
  recordDone: "Kaydı ekle",
  recordDiscard: "Kaydı sil",
  voiceMessage: "Sesli mesaj",
  micBlocked: "Mikrofon engellendi. Lütfen tarayıcı ayarlarından izin verin.",
  micFailed: "Mikrofon şu anda kullanılamıyor.",

  emojiSearch: "Emoji ara",
  emojiNone: "Emoji bulunamadı",
  emojiFaces: "İfadeler",
  emojiPeople: "İnsanlar",
  emojiNature: "Hayvanlar ve doğa",
  emojiFood: "Yiyecek ve içecek",
  emojiTravel: "Seyahat ve yerler",
  emojiThings: "Etkinlikler ve nesneler",
  emojiSymbols: "Semboller",

  helpTitle: "Yardım makaleleri",
  helpSearch: "Yardımda ara",
  helpNone: "Makale bulunamadı",
  helpStart: "Bize mesaj gönderin",
  helpContinue: "Görüşmeye devam et",
  back: "Geri",
  helpOpen: "Makalenin tamamını aç",

  choose: "Lütfen seçin",
  fieldWrong: "Lütfen bu alanı kontrol edin.",
  yes: "Evet",
};
