import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Fénykép készítése",
  record: "Hangüzenet felvétele",
  recording: "Felvétel",
  recordDone: "Felvétel hozzáadása",
  recordDiscard: "Felvétel elvetése",
  voiceMessage: "Hangüzenet",
  micBlocked: "A mikrofon le van tiltva. Engedélyezze a böngésző beállításaiban.",
  micFailed: "A mikrofon most nem használható.",

  emojiSearch: "Emodzsi keresése",
  emojiNone: "Nincs ilyen emodzsi",
  emojiFaces: "Mosolygós arcok",
  emojiPeople: "Emberek",
  emojiNature: "Állatok és természet",
  emojiFood: "Étel és ital",
  emojiTravel: "Utazás és helyek",
  emojiThings: "Tevékenységek és tárgyak",
  emojiSymbols: "Szimbólumok",

  helpTitle: "Súgócikkek",
  helpSearch: "Keresés a súgóban",
  helpNone: "Nincs találat",
  helpStart: "Üzenet küldése",
  helpContinue: "Beszélgetés folytatása",
  back: "Vissza",
  helpOpen: "A teljes cikk megnyitása",

  choose: "Válasszon",
  fieldWrong: "Ellenőrizze ezt a mezőt.",
  yes: "Igen",
};
