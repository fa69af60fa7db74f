import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Зробити фото",
  record: "Записати голосове повідомлення",
  recording: "Триває запис",
  recordDone: "Додати запис",
  recordDiscard: "Видалити запис",
  voiceMessage: "Голосове повідомлення",
  micBlocked: "Доступ до мікрофона заблоковано. Дозвольте його в налаштуваннях браузера.",
  micFailed: "Зараз не вдається використати мікрофон.",

  emojiSearch: "Пошук емодзі",
  emojiNone: "Емодзі не знайдено",
  emojiFaces: "Смайлики",
  emojiPeople: "Люди",
  emojiNature: "Тварини й природа",
  emojiFood: "Їжа та напої",
  emojiTravel: "Подорожі та місця",
  emojiThings: "Заняття й предмети",
  emojiSymbols: "Символи",

  helpTitle: "Статті довідки",
  helpSearch: "Пошук у довідці",
  helpNone: "Статей не знайдено",
  helpStart: "Написати нам",
  helpContinue: "Продовжити розмову",
  back: "Назад",
  helpOpen: "Відкрити статтю повністю",

  choose: "Виберіть",
  fieldWrong: "Перевірте це поле.",
  yes: "Так",
};
