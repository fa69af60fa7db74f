import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "फोटो खिच्नुहोस्",
  record: "भ्वाइस सन्देश रेकर्ड गर्नुहोस्",
  recording: "रेकर्ड हुँदै छ",
  recordDone: "रेकर्डिङ थप्नुहोस्",
  recordDiscard: "रेकर्डिङ हटाउनुहोस्",
  voiceMessage: "भ्वाइस सन्देश",
  micBlocked: "माइक्रोफोन रोकिएको छ। ब्राउजरको सेटिङमा अनुमति दिनुहोस्।",
  micFailed: "अहिले माइक्रोफोन प्रयोग गर्न सकिँदैन।",

  emojiSearch: "इमोजी खोज्नुहोस्",
  emojiNone: "कुनै इमोजी भेटिएन",
  emojiFaces: "स्माइली",
  emojiPeople: "मानिस",
  emojiNature: "जनावर र प्रकृति",
  emojiFood: "खाना र पेय पदार्थ",
  emojiTravel: "यात्रा र ठाउँ",
  emojiThings: "गतिविधि र वस्तु",
  emojiSymbols: "चिन्ह",

  helpTitle: "सहयोग लेख",
  helpSearch: "सहयोग खोज्नुहोस्",
  helpNone: "कुनै लेख भेटिएन",
  helpStart: "हामीलाई सन्देश पठाउनुहोस्",
  helpContinue: "कुराकानी जारी राख्नुहोस्",
  back: "पछाडि",
  helpOpen: "पूरा लेख खोल्नुहोस्",

  choose: "छान्नुहोस्",
  fieldWrong: "कृपया यो जाँच्नुहोस्।",
  yes: "हो",
};
