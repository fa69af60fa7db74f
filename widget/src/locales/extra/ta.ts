import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "படம் எடு",
  record: "குரல் செய்தியைப் பதிவுசெய்",
  recording: "பதிவாகிறது",
  recordDone: "பதிவைச் சேர்",
  recordDiscard: "பதிவை நிராகரி",
  voiceMessage: "குரல் செய்தி",
  micBlocked: "மைக்ரோஃபோன் தடுக்கப்பட்டுள்ளது. உலாவி அமைப்புகளில் அதை அனுமதியுங்கள்.",
  micFailed: "இப்போது மைக்ரோஃபோனைப் பயன்படுத்த முடியாது.",

  emojiSearch: "எமோஜி தேடு",
  emojiNone: "எமோஜி எதுவும் கிடைக்கவில்லை",
  emojiFaces: "ஸ்மைலிகள்",
  emojiPeople: "மனிதர்கள்",
  emojiNature: "விலங்குகளும் இயற்கையும்",
  emojiFood: "உணவும் பானமும்",
  emojiTravel: "பயணமும் இடங்களும்",
  emojiThings: "செயல்பாடுகளும் பொருட்களும்",
  emojiSymbols: "குறியீடுகள்",

  helpTitle: "உதவிக் கட்டுரைகள்",
  helpSearch: "உதவியைத் தேடு",
  helpNone: "கட்டுரை எதுவும் கிடைக்கவில்லை",
  helpStart: "எங்களுக்குச் செய்தி அனுப்புங்கள்",
  helpContinue: "உரையாடலைத் தொடர்",
  back: "பின்செல்",
  helpOpen: "முழுக் கட்டுரையைத் திற",

  choose: "தேர்வுசெய்யுங்கள்",
  fieldWrong: "இதைச் சரிபாருங்கள்.",
  yes: "ஆம்",
};
