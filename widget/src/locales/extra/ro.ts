import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Fă o fotografie",
  record: "Înregistrează un mesaj vocal",
  recording: "Se înregistrează",
  recordDone: "Adaugă înregistrarea",
  recordDiscard: "Renunță la înregistrare",
  voiceMessage: "Mesaj vocal",
  micBlocked: "Microfonul este blocat. Permite-l din setările browserului.",
  micFailed: "Microfonul nu poate fi folosit acum.",

  emojiSearch: "Caută emoji",
  emojiNone: "Niciun emoji găsit",
  emojiFaces: "Zâmbete",
  emojiPeople: "Persoane",
  emojiNature: "Animale și natură",
  emojiFood: "Mâncare și băuturi",
  emojiTravel: "Călătorii și locuri",
  emojiThings: "Activități și obiecte",
  emojiSymbols: "Simboluri",

  helpTitle: "Articole de ajutor",
  helpSearch: "Caută în ajutor",
  helpNone: "Niciun articol găsit",
  helpStart: "Trimite-ne un mesaj",
  helpContinue: "Continuă conversația",
  back: "Înapoi",
  helpOpen: "Deschide articolul complet",

  choose: "Alege",
  fieldWrong: "Verifică acest câmp.",
  yes: "Da",
};
