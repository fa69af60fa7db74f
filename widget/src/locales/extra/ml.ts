import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "ഫോട്ടോ എടുക്കുക",
  record: "വോയ്‌സ് സന്ദേശം റെക്കോർഡ് ചെയ്യുക",
  recording: "റെക്കോർഡ് ചെയ്യുന്നു",
  recordDone: "റെക്കോർഡിംഗ് ചേർക്കുക",
  recordDiscard: "റെക്കോർഡിംഗ് ഒഴിവാക്കുക",
  voiceMessage: "വോയ്‌സ് സന്ദേശം",
  micBlocked: "മൈക്രോഫോൺ ബ്ലോക്ക് ചെയ്തിരിക്കുന്നു. ബ്രൗസർ ക്രമീകരണങ്ങളിൽ അനുവദിക്കുക.",
  micFailed: "ഇപ്പോൾ മൈക്രോഫോൺ ഉപയോഗിക്കാനാവില്ല.",

  emojiSearch: "ഇമോജി തിരയുക",
  emojiNone: "ഇമോജി കണ്ടെത്തിയില്ല",
  emojiFaces: "സ്മൈലികൾ",
  emojiPeople: "ആളുകൾ",
  emojiNature: "മൃഗങ്ങളും പ്രകൃതിയും",
  emojiFood: "ഭക്ഷണവും പാനീയവും",
  emojiTravel: "യാത്രയും സ്ഥലങ്ങളും",
  emojiThings: "പ്രവർത്തനങ്ങളും വസ്തുക്കളും",
  emojiSymbols: "ചിഹ്നങ്ങൾ",

  helpTitle: "സഹായ ലേഖനങ്ങൾ",
  helpSearch: "സഹായം തിരയുക",
  helpNone: "ലേഖനങ്ങൾ കണ്ടെത്തിയില്ല",
  helpStart: "ഞങ്ങൾക്ക് സന്ദേശം അയയ്ക്കുക",
  helpContinue: "സംഭാഷണം തുടരുക",
  back: "മടങ്ങുക",
  helpOpen: "മുഴുവൻ ലേഖനം തുറക്കുക",

  choose: "തിരഞ്ഞെടുക്കുക",
  fieldWrong: "ഇത് പരിശോധിക്കുക.",
  yes: "അതെ",
};
