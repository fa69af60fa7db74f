import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "ಫೋಟೋ ತೆಗೆಯಿರಿ",
  record: "ಧ್ವನಿ ಸಂದೇಶ ರೆಕಾರ್ಡ್ ಮಾಡಿ",
  recording: "ರೆಕಾರ್ಡ್ ಆಗುತ್ತಿದೆ",
  recordDone: "ರೆಕಾರ್ಡಿಂಗ್ ಸೇರಿಸಿ",
  recordDiscard: "ರೆಕಾರ್ಡಿಂಗ್ ಅಳಿಸಿ",
  voiceMessage: "ಧ್ವನಿ ಸಂದೇಶ",
  micBlocked: "ಮೈಕ್ರೊಫೋನ್ ಅನ್ನು ನಿರ್ಬಂಧಿಸಲಾಗಿದೆ. ಬ್ರೌಸರ್ ಸೆಟ್ಟಿಂಗ್‌ಗಳಲ್ಲಿ ಅನುಮತಿಸಿ.",
  micFailed: "ಈಗ ಮೈಕ್ರೊಫೋನ್ ಬಳಸಲು ಆಗುತ್ತಿಲ್ಲ.",

  emojiSearch: "ಎಮೋಜಿ ಹುಡುಕಿ",
  emojiNone: "ಯಾವುದೇ ಎಮೋಜಿ ಸಿಗಲಿಲ್ಲ",
  emojiFaces: "ಸ್ಮೈಲಿಗಳು",
  emojiPeople: "ಜನರು",
  emojiNature: "ಪ್ರಾಣಿಗಳು ಮತ್ತು ಪ್ರಕೃತಿ",
  emojiFood: "ಆಹಾರ ಮತ್ತು ಪಾನೀಯ",
  emojiTravel: "ಪ್ರಯಾಣ ಮತ್ತು ಸ್ಥಳಗಳು",
  emojiThings: "ಚಟುವಟಿಕೆಗಳು ಮತ್ತು ವಸ್ತುಗಳು",
  emojiSymbols: "ಚಿಹ್ನೆಗಳು",

  helpTitle: "ಸಹಾಯ ಲೇಖನಗಳು",
  helpSearch: "ಸಹಾಯ ಹುಡುಕಿ",
  helpNone: "ಯಾವುದೇ ಲೇಖನ ಸಿಗಲಿಲ್ಲ",
  helpStart: "ನಮಗೆ ಸಂದೇಶ ಕಳುಹಿಸಿ",
  helpContinue: "ಸಂಭಾಷಣೆ ಮುಂದುವರಿಸಿ",
  back: "ಹಿಂದೆ",
  helpOpen: "ಪೂರ್ಣ ಲೇಖನ ತೆರೆಯಿರಿ",

  choose: "ಆಯ್ಕೆಮಾಡಿ",
  fieldWrong: "ದಯವಿಟ್ಟು ಇದನ್ನು ಪರಿಶೀಲಿಸಿ.",
  yes: "ಹೌದು",
};
