import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Tomar una foto",
  record: "Grabar un mensaje de voz",
  recording: "Grabando",
  recordDone: "Añadir la grabación",
  recordDiscard: "Descartar la grabación",
  voiceMessage: "Mensaje de voz",
  micBlocked: "El micrófono está bloqueado. Permítelo en la configuración del navegador.",
  micFailed: "El micrófono no se puede usar en este momento.",

  emojiSearch: "Buscar emojis",
  emojiNone: "No se han encontrado emojis",
  emojiFaces: "Caritas",
  emojiPeople: "Personas",
  emojiNature: "Animales y naturaleza",
  emojiFood: "Comida y bebida",
  emojiTravel: "Viajes y lugares",
  emojiThings: "Actividades y objetos",
  emojiSymbols: "Símbolos",

  helpTitle: "Artículos de ayuda",
  helpSearch: "Buscar en la ayuda",
  helpNone: "No se han encontrado artículos",
  helpStart: "Envíanos un mensaje",
  helpContinue: "Continuar la conversación",
  back: "Atrás",
  helpOpen: "Abrir el artículo completo",

  choose: "Elige una opción",
  fieldWrong: "Revisa este campo.",
  yes: "Sí",
};
