import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Odfotiť",
  record: "Nahrať hlasovú správu",
  recording: "Nahráva sa",
  recordDone: "Pridať nahrávku",
  recordDiscard: "Zahodiť nahrávku",
  voiceMessage: "Hlasová správa",
  micBlocked: "Mikrofón je blokovaný. Povoľte ho v nastaveniach prehliadača.",
  micFailed: "Mikrofón sa teraz nedá použiť.",

  emojiSearch: "Hľadať emoji",
  emojiNone: "Nenašli sa žiadne emoji",
  emojiFaces: "Smajlíky",
  emojiPeople: "Ľudia",
  emojiNature: "Zvieratá a príroda",
  emojiFood: "Jedlo a nápoje",
  emojiTravel: "Cestovanie a miesta",
  emojiThings: "Aktivity a predmety",
  emojiSymbols: "Symboly",

  helpTitle: "Články pomocníka",
  helpSearch: "Hľadať v pomocníkovi",
  helpNone: "Nenašli sa žiadne články",
  helpStart: "Napísať nám správu",
  helpContinue: "Pokračovať v konverzácii",
  back: "Späť",
  helpOpen: "Otvoriť celý článok",

  choose: "Vyberte",
  fieldWrong: "Skontrolujte, prosím, toto pole.",
  yes: "Áno",
};
