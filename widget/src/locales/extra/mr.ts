import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "फोटो काढा",
  record: "व्हॉइस मेसेज रेकॉर्ड करा",
  recording: "रेकॉर्ड होत आहे",
  recordDone: "रेकॉर्डिंग जोडा",
  recordDiscard: "रेकॉर्डिंग काढून टाका",
  voiceMessage: "व्हॉइस मेसेज",
  micBlocked: "मायक्रोफोन ब्लॉक आहे. ब्राउझरच्या सेटिंग्जमध्ये त्याला परवानगी द्या.",
  micFailed: "सध्या मायक्रोफोन वापरता येत नाही.",

  emojiSearch: "इमोजी शोधा",
  emojiNone: "इमोजी सापडले नाहीत",
  emojiFaces: "स्मायली",
  emojiPeople: "लोक",
  emojiNature: "प्राणी आणि निसर्ग",
  emojiFood: "खाद्यपदार्थ आणि पेये",
  emojiTravel: "प्रवास आणि ठिकाणे",
  emojiThings: "उपक्रम आणि वस्तू",
  emojiSymbols: "चिन्हे",

  helpTitle: "मदत लेख",
  helpSearch: "मदत शोधा",
  helpNone: "लेख सापडले नाहीत",
  helpStart: "आम्हाला मेसेज पाठवा",
  helpContinue: "संभाषण सुरू ठेवा",
  back: "मागे",
  helpOpen: "संपूर्ण लेख उघडा",

  choose: "निवडा",
  fieldWrong: "कृपया हे तपासा.",
  yes: "होय",
};
