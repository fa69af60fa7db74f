import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Taka mynd",
  record: "Taka upp talskilaboð",
  recording: "Upptaka í gangi",
  recordDone: "Bæta upptökunni við",
  recordDiscard: "Henda upptökunni",
  voiceMessage: "Talskilaboð",
  micBlocked: "Lokað er á hljóðnemann. Leyfðu hann í stillingum vafrans.",
  micFailed: "Ekki er hægt að nota hljóðnemann núna.",

  emojiSearch: "Leita að tjákni",
  emojiNone: "Ekkert tjákn fannst",
  emojiFaces: "Broskallar",
  emojiPeople: "Fólk",
  emojiNature: "Dýr og náttúra",
  emojiFood: "Matur og drykkur",
  emojiTravel: "Ferðalög og staðir",
  emojiThings: "Afþreying og hlutir",
  emojiSymbols: "Tákn",

  helpTitle: "Hjálpargreinar",
  helpSearch: "Leita að hjálp",
  helpNone: "Engar greinar fundust",
  helpStart: "Senda okkur skilaboð",
  helpContinue: "Halda samtalinu áfram",
  back: "Til baka",
  helpOpen: "Opna alla greinina",

  choose: "Veldu",
  fieldWrong: "Athugaðu þennan reit.",
  yes: "Já",
};
