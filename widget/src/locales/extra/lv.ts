import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Uzņemt fotoattēlu",
  record: "Ierakstīt balss ziņu",
  recording: "Notiek ierakstīšana",
  recordDone: "Pievienot ierakstu",
  recordDiscard: "Atmest ierakstu",
  voiceMessage: "Balss ziņa",
  micBlocked: "Mikrofons ir bloķēts. Atļaujiet to pārlūka iestatījumos.",
  micFailed: "Mikrofonu pašlaik nevar izmantot.",

  emojiSearch: "Meklēt emocijzīmi",
  emojiNone: "Emocijzīmes nav atrastas",
  emojiFaces: "Smaidiņi",
  emojiPeople: "Cilvēki",
  emojiNature: "Dzīvnieki un daba",
  emojiFood: "Ēdieni un dzērieni",
  emojiTravel: "Ceļojumi un vietas",
  emojiThings: "Nodarbes un priekšmeti",
  emojiSymbols: "Simboli",

  helpTitle: "Palīdzības raksti",
  helpSearch: "Meklēt palīdzībā",
  helpNone: "Raksti nav atrasti",
  helpStart: "Nosūtīt mums ziņu",
  helpContinue: "Turpināt sarunu",
  back: "Atpakaļ",
  helpOpen: "Atvērt visu rakstu",

  choose: "Izvēlieties",
  fieldWrong: "Pārbaudiet šo lauku.",
  yes: "Jā",
};
