import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Vyfotit",
  record: "Nahrát hlasovou zprávu",
  recording: "Nahrává se",
  recordDone: "Přidat nahrávku",
  recordDiscard: "Zahodit nahrávku",
  voiceMessage: "Hlasová zpráva",
  micBlocked: "Mikrofon je blokovaný. Povolte ho v nastavení prohlížeče.",
  micFailed: "Mikrofon teď nelze použít.",

  emojiSearch: "Hledat emoji",
  emojiNone: "Žádné emoji nenalezeno",
  emojiFaces: "Smajlíci",
  emojiPeople: "Lidé",
  emojiNature: "Zvířata a příroda",
  emojiFood: "Jídlo a pití",
  emojiTravel: "Cestování a místa",
  emojiThings: "Aktivity a předměty",
  emojiSymbols: "Symboly",

  helpTitle: "Články nápovědy",
  helpSearch: "Hledat v nápovědě",
  helpNone: "Žádné články nenalezeny",
  helpStart: "Napsat nám zprávu",
  helpContinue: "Pokračovat v konverzaci",
  back: "Zpět",
  helpOpen: "Otevřít celý článek",

  choose: "Vyberte",
  fieldWrong: "Zkontrolujte prosím toto pole.",
  yes: "Ano",
};
