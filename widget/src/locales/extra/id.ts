import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Ambil foto",
  record: "Rekam pesan suara",
  recording: "Merekam",
  recordDone: "Tambahkan rekaman",
  recordDiscard: "Buang rekaman",
  voiceMessage: "Pesan suara",
  micBlocked: "Mikrofon diblokir. Izinkan di pengaturan browser.",
  micFailed: "Mikrofon tidak dapat digunakan saat ini.",

  emojiSearch: "Cari emoji",
  emojiNone: "Emoji tidak ditemukan",
  emojiFaces: "Smiley",
  emojiPeople: "Orang",
  emojiNature: "Hewan dan alam",
  emojiFood: "Makanan dan minuman",
  emojiTravel: "Perjalanan dan tempat",
  emojiThings: "Aktivitas dan benda",
  emojiSymbols: "Simbol",

  helpTitle: "Artikel bantuan",
  helpSearch: "Cari bantuan",
  helpNone: "Artikel tidak ditemukan",
  helpStart: "Kirim pesan kepada kami",
  helpContinue: "Lanjutkan percakapan",
  back: "Kembali",
  helpOpen: "Buka artikel lengkap",

  choose: "Pilih",
  fieldWrong: "Periksa kolom ini.",
  yes: "Ya",
};
