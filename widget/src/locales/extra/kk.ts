import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Фотоға түсіру",
  record: "Дауыстық хабар жазу",
  recording: "Жазылып жатыр",
  recordDone: "Жазбаны қосу",
  recordDiscard: "Жазбаны өшіру",
  voiceMessage: "Дауыстық хабар",
  micBlocked: "Микрофон бұғатталған. Оған браузер параметрлерінде рұқсат беріңіз.",
  micFailed: "Қазір микрофонды пайдалану мүмкін емес.",

  emojiSearch: "Эмодзи іздеу",
  emojiNone: "Эмодзи табылмады",
  emojiFaces: "Смайликтер",
  emojiPeople: "Адамдар",
  emojiNature: "Жануарлар мен табиғат",
  emojiFood: "Тамақ пен сусын",
  emojiTravel: "Саяхат пен орындар",
  emojiThings: "Іс-әрекеттер мен заттар",
  emojiSymbols: "Таңбалар",

  helpTitle: "Анықтама мақалалары",
  helpSearch: "Анықтамадан іздеу",
  helpNone: "Мақала табылмады",
  helpStart: "Бізге хабар жіберу",
  helpContinue: "Әңгімені жалғастыру",
  back: "Артқа",
  helpOpen: "Мақаланы толық ашу",

  choose: "Таңдаңыз",
  fieldWrong: "Бұл өрісті тексеріңіз.",
  yes: "Иә",
};
