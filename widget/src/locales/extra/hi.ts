import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "फ़ोटो लें",
  record: "वॉइस मैसेज रिकॉर्ड करें",
  recording: "रिकॉर्ड हो रहा है",
  recordDone: "रिकॉर्डिंग जोड़ें",
  recordDiscard: "रिकॉर्डिंग हटाएँ",
  voiceMessage: "वॉइस मैसेज",
  micBlocked: "माइक्रोफ़ोन ब्लॉक है। ब्राउज़र की सेटिंग में इसकी अनुमति दें।",
  micFailed: "अभी माइक्रोफ़ोन का इस्तेमाल नहीं हो सकता।",

  emojiSearch: "इमोजी खोजें",
  emojiNone: "कोई इमोजी नहीं मिला",
  emojiFaces: "स्माइली",
  emojiPeople: "लोग",
  emojiNature: "जानवर और प्रकृति",
  emojiFood: "खाना-पीना",
  emojiTravel: "यात्रा और जगहें",
  emojiThings: "गतिविधियाँ और चीज़ें",
  emojiSymbols: "चिह्न",

  helpTitle: "मदद के लेख",
  helpSearch: "मदद खोजें",
  helpNone: "कोई लेख नहीं मिला",
  helpStart: "हमें मैसेज भेजें",
  helpContinue: "बातचीत जारी रखें",
  back: "वापस",
  helpOpen: "पूरा लेख खोलें",

  choose: "चुनें",
  fieldWrong: "कृपया यह जाँचें।",
  yes: "हाँ",
};
