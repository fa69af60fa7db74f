import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Сними фотографију",
  record: "Сними гласовну поруку",
  recording: "Снимање",
  recordDone: "Додај снимак",
  recordDiscard: "Одбаци снимак",
  voiceMessage: "Гласовна порука",
  micBlocked: "Микрофон је блокиран. Дозволите га у подешавањима прегледача.",
  micFailed: "Микрофон тренутно не може да се користи.",

  emojiSearch: "Претражи емоџије",
  emojiNone: "Није пронађен ниједан емоџи",
  emojiFaces: "Смајлији",
  emojiPeople: "Људи",
  emojiNature: "Животиње и природа",
  emojiFood: "Храна и пиће",
  emojiTravel: "Путовања и места",
  emojiThings: "Активности и предмети",
  emojiSymbols: "Симболи",

  helpTitle: "Чланци за помоћ",
  helpSearch: "Претражи помоћ",
  helpNone: "Није пронађен ниједан чланак",
  helpStart: "Пошаљите нам поруку",
  helpContinue: "Настави разговор",
  back: "Назад",
  helpOpen: "Отвори цео чланак",

  choose: "Изаберите",
  fieldWrong: "Проверите ово поље.",
  yes: "Да",
};
