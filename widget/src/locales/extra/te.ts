import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "ఫొటో తీయండి",
  record: "వాయిస్ మెసేజ్ రికార్డ్ చేయండి",
  recording: "రికార్డ్ అవుతోంది",
  recordDone: "రికార్డింగ్‌ను జోడించండి",
  recordDiscard: "రికార్డింగ్‌ను తొలగించండి",
  voiceMessage: "వాయిస్ మెసేజ్",
  micBlocked: "మైక్రోఫోన్ బ్లాక్ అయింది. బ్రౌజర్ సెట్టింగ్‌లలో దాన్ని అనుమతించండి.",
  micFailed: "ఇప్పుడు మైక్రోఫోన్‌ను ఉపయోగించలేరు.",

  emojiSearch: "ఎమోజీని వెతకండి",
  emojiNone: "ఎమోజీలు దొరకలేదు",
  emojiFaces: "స్మైలీలు",
  emojiPeople: "వ్యక్తులు",
  emojiNature: "జంతువులు, ప్రకృతి",
  emojiFood: "ఆహారం, పానీయాలు",
  emojiTravel: "ప్రయాణం, ప్రదేశాలు",
  emojiThings: "కార్యకలాపాలు, వస్తువులు",
  emojiSymbols: "గుర్తులు",

  helpTitle: "సహాయ కథనాలు",
  helpSearch: "సహాయం కోసం వెతకండి",
  helpNone: "కథనాలు దొరకలేదు",
  helpStart: "మాకు మెసేజ్ పంపండి",
  helpContinue: "సంభాషణను కొనసాగించండి",
  back: "వెనుకకు",
  helpOpen: "పూర్తి కథనాన్ని తెరవండి",

  choose: "ఎంచుకోండి",
  fieldWrong: "దీన్ని సరిచూసుకోండి.",
  yes: "అవును",
};
