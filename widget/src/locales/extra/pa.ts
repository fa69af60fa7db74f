import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "ਫ਼ੋਟੋ ਖਿੱਚੋ",
  record: "ਵੌਇਸ ਸੁਨੇਹਾ ਰਿਕਾਰਡ ਕਰੋ",
  recording: "ਰਿਕਾਰਡ ਹੋ ਰਿਹਾ ਹੈ",
  recordDone: "ਰਿਕਾਰਡਿੰਗ ਜੋੜੋ",
  recordDiscard: "ਰਿਕਾਰਡਿੰਗ ਹਟਾਓ",
  voiceMessage: "ਵੌਇਸ ਸੁਨੇਹਾ",
  micBlocked: "ਮਾਈਕ੍ਰੋਫ਼ੋਨ ਬਲੌਕ ਹੈ। ਬ੍ਰਾਊਜ਼ਰ ਦੀਆਂ ਸੈਟਿੰਗਾਂ ਵਿੱਚ ਇਸਦੀ ਇਜਾਜ਼ਤ ਦਿਓ।",
  micFailed: "ਇਸ ਵੇਲੇ ਮਾਈਕ੍ਰੋਫ਼ੋਨ ਵਰਤਿਆ ਨਹੀਂ ਜਾ ਸਕਦਾ।",

  emojiSearch: "ਇਮੋਜੀ ਖੋਜੋ",
  emojiNone: "ਕੋਈ ਇਮੋਜੀ ਨਹੀਂ ਮਿਲਿਆ",
  emojiFaces: "ਸਮਾਈਲੀ",
  emojiPeople: "ਲੋਕ",
  emojiNature: "ਜਾਨਵਰ ਅਤੇ ਕੁਦਰਤ",
  emojiFood: "ਖਾਣਾ-ਪੀਣਾ",
  emojiTravel: "ਯਾਤਰਾ ਅਤੇ ਥਾਵਾਂ",
  emojiThings: "ਗਤੀਵਿਧੀਆਂ ਅਤੇ ਚੀਜ਼ਾਂ",
  emojiSymbols: "ਚਿੰਨ੍ਹ",

  helpTitle: "ਮਦਦ ਲੇਖ",
  helpSearch: "ਮਦਦ ਖੋਜੋ",
  helpNone: "ਕੋਈ ਲੇਖ ਨਹੀਂ ਮਿਲਿਆ",
  helpStart: "ਸਾਨੂੰ ਸੁਨੇਹਾ ਭੇਜੋ",
  helpContinue: "ਗੱਲਬਾਤ ਜਾਰੀ ਰੱਖੋ",
  back: "ਪਿੱਛੇ",
  helpOpen: "ਪੂਰਾ ਲੇਖ ਖੋਲ੍ਹੋ",

  choose: "ਚੁਣੋ",
  fieldWrong: "ਕਿਰਪਾ ਕਰਕੇ ਇਹ ਜਾਂਚੋ।",
  yes: "ਹਾਂ",
};
