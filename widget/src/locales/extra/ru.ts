import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Сделать фото",
  record: "Записать голосовое сообщение",
  recording: "Идёт запись",
  recordDone: "Добавить запись",
  recordDiscard: "Удалить запись",
  voiceMessage: "Голосовое сообщение",
  micBlocked: "Доступ к микрофону заблокирован. Разрешите его в настройках браузера.",
  micFailed: "Сейчас не удаётся использовать микрофон.",

  emojiSearch: "Поиск эмодзи",
  emojiNone: "Эмодзи не найдены",
  emojiFaces: "Смайлики",
  emojiPeople: "Люди",
  emojiNature: "Животные и природа",
  emojiFood: "Еда и напитки",
  emojiTravel: "Путешествия и места",
  emojiThings: "Занятия и предметы",
  emojiSymbols: "Символы",

  helpTitle: "Статьи справки",
  helpSearch: "Поиск по справке",
  helpNone: "Статьи не найдены",
  helpStart: "Написать нам",
  helpContinue: "Продолжить переписку",
  back: "Назад",
  helpOpen: "Открыть статью полностью",

  choose: "Выберите",
  fieldWrong: "Проверьте это поле.",
  yes: "Да",
};
