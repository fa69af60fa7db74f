import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Tirar uma fotografia",
  record: "Gravar mensagem de voz",
  recording: "A gravar",
  recordDone: "Adicionar a gravação",
  recordDiscard: "Eliminar a gravação",
  voiceMessage: "Mensagem de voz",
  micBlocked: "O microfone está bloqueado. Permita a sua utilização nas definições do navegador.",
  micFailed: "De momento, não é possível utilizar o microfone.",

  emojiSearch: "Pesquisar emojis",
  emojiNone: "Nenhum emoji encontrado",
  emojiFaces: "Smileys",
  emojiPeople: "Pessoas",
  emojiNature: "Animais e natureza",
  emojiFood: "Comida e bebida",
  emojiTravel: "Viagens e locais",
  emojiThings: "Atividades e objetos",
  emojiSymbols: "Símbolos",

  helpTitle: "Artigos de ajuda",
  helpSearch: "Pesquisar na ajuda",
  helpNone: "Nenhum artigo encontrado",
  helpStart: "Envie-nos uma mensagem",
  helpContinue: "Continuar a conversa",
  back: "Voltar",
  helpOpen: "Abrir o artigo completo",

  choose: "Selecione",
  fieldWrong: "Verifique este campo.",
  yes: "Sim",
};
