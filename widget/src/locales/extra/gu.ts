import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "ફોટો લો",
  record: "વૉઇસ મેસેજ રેકોર્ડ કરો",
  recording: "રેકોર્ડ થઈ રહ્યું છે",
  recordDone: "રેકોર્ડિંગ ઉમેરો",
  recordDiscard: "રેકોર્ડિંગ કાઢી નાખો",
  voiceMessage: "વૉઇસ મેસેજ",
  micBlocked: "માઇક્રોફોન બ્લૉક છે. બ્રાઉઝરના સેટિંગમાં તેને પરવાનગી આપો.",
  micFailed: "હમણાં માઇક્રોફોન વાપરી શકાતો નથી.",

  emojiSearch: "ઇમોજી શોધો",
  emojiNone: "કોઈ ઇમોજી મળ્યું નહીં",
  emojiFaces: "સ્માઇલી",
  emojiPeople: "લોકો",
  emojiNature: "પ્રાણીઓ અને પ્રકૃતિ",
  emojiFood: "ખાણી-પીણી",
  emojiTravel: "પ્રવાસ અને સ્થળો",
  emojiThings: "પ્રવૃત્તિઓ અને વસ્તુઓ",
  emojiSymbols: "ચિહ્નો",

  helpTitle: "સહાય લેખો",
  helpSearch: "સહાય શોધો",
  helpNone: "કોઈ લેખ મળ્યો નહીં",
  helpStart: "અમને મેસેજ મોકલો",
  helpContinue: "વાતચીત ચાલુ રાખો",
  back: "પાછળ",
  helpOpen: "આખો લેખ ખોલો",

  choose: "પસંદ કરો",
  fieldWrong: "કૃપા કરીને આ તપાસો.",
  yes: "હા",
};
