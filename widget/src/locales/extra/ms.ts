import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Ambil foto",
  record: "Rakam mesej suara",
  recording: "Sedang merakam",
  recordDone: "Tambahkan rakaman",
  recordDiscard: "Buang rakaman",
  voiceMessage: "Mesej suara",
  micBlocked: "Mikrofon disekat. Benarkan dalam tetapan pelayar anda.",
  micFailed: "Mikrofon tidak dapat digunakan sekarang.",

  emojiSearch: "Cari emoji",
  emojiNone: "Tiada emoji ditemui",
  emojiFaces: "Smiley",
  emojiPeople: "Orang",
  emojiNature: "Haiwan dan alam",
  emojiFood: "Makanan dan minuman",
  emojiTravel: "Perjalanan dan tempat",
  emojiThings: "Aktiviti dan objek",
  emojiSymbols: "Simbol",

  helpTitle: "Artikel bantuan",
  helpSearch: "Cari bantuan",
  helpNone: "Tiada artikel ditemui",
  helpStart: "Hantar mesej kepada kami",
  helpContinue: "Teruskan perbualan",
  back: "Kembali",
  helpOpen: "Buka artikel penuh",

  choose: "Sila pilih",
  fieldWrong: "Sila semak ruangan ini.",
  yes: "Ya",
};
