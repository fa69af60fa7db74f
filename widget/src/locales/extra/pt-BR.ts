import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Tirar uma foto",
  record: "Gravar mensagem de voz",
  recording: "Gravando",
  recordDone: "Adicionar a gravação",
  recordDiscard: "Descartar a gravação",
  voiceMessage: "Mensagem de voz",
  micBlocked: "O microfone está bloqueado. Permita o uso nas configurações do navegador.",
  micFailed: "O microfone não pode ser usado agora.",

  emojiSearch: "Buscar emojis",
  emojiNone: "Nenhum emoji encontrado",
  emojiFaces: "Carinhas",
  emojiPeople: "Pessoas",
  emojiNature: "Animais e natureza",
  emojiFood: "Comidas e bebidas",
  emojiTravel: "Viagens e lugares",
  emojiThings: "Atividades e objetos",
  emojiSymbols: "Símbolos",

  helpTitle: "Artigos de ajuda",
  helpSearch: "Buscar na ajuda",
  helpNone: "Nenhum artigo encontrado",
  helpStart: "Envie uma mensagem",
  helpContinue: "Continuar a conversa",
  back: "Voltar",
  helpOpen: "Abrir o artigo completo",

  choose: "Selecione",
  fieldWrong: "Verifique este campo.",
  yes: "Sim",
};
