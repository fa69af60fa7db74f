import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Заснемане на снимка",
  record: "Записване на гласово съобщение",
  recording: "Записва се",
  recordDone: "Добавяне на записа",
  recordDiscard: "Отхвърляне на записа",
  voiceMessage: "Гласово съобщение",
  micBlocked: "Микрофонът е блокиран. Разрешете го в настройките на браузъра.",
  micFailed: "Микрофонът не може да се използва в момента.",

  emojiSearch: "Търсене на емоджи",
  emojiNone: "Няма намерени емоджита",
  emojiFaces: "Усмивки",
  emojiPeople: "Хора",
  emojiNature: "Животни и природа",
  emojiFood: "Храна и напитки",
  emojiTravel: "Пътувания и места",
  emojiThings: "Дейности и предмети",
  emojiSymbols: "Символи",

  helpTitle: "Помощни статии",
  helpSearch: "Търсене в помощта",
  helpNone: "Няма намерени статии",
  helpStart: "Изпратете ни съобщение",
  helpContinue: "Продължаване на разговора",
  back: "Назад",
  helpOpen: "Отваряне на цялата статия",

  choose: "Изберете",
  fieldWrong: "Моля, проверете това поле.",
  yes: "Да",
};
