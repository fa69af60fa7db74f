import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Prendre une photo",
  record: "Enregistrer un message vocal",
  recording: "Enregistrement en cours",
  recordDone: "Ajouter l’enregistrement",
  recordDiscard: "Supprimer l’enregistrement",
  voiceMessage: "Message vocal",
  micBlocked: "Le micro est bloqué. Autorisez-le dans les paramètres du navigateur.",
  micFailed: "Impossible d’utiliser le micro pour le moment.",

  emojiSearch: "Rechercher un emoji",
  emojiNone: "Aucun emoji trouvé",
  emojiFaces: "Smileys",
  emojiPeople: "Personnes",
  emojiNature: "Animaux et nature",
  emojiFood: "Nourriture et boissons",
  emojiTravel: "Voyages et lieux",
  emojiThings: "Activités et objets",
  emojiSymbols: "Symboles",

  helpTitle: "Articles d’aide",
  helpSearch: "Rechercher dans l’aide",
  helpNone: "Aucun article trouvé",
  helpStart: "Envoyez-nous un message",
  helpContinue: "Reprendre la conversation",
  back: "Retour",
  helpOpen: "Ouvrir l’article complet",

  choose: "Choisissez",
  fieldWrong: "Veuillez vérifier ce champ.",
  yes: "Oui",
};
