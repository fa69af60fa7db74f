import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Λήψη φωτογραφίας",
  record: "Εγγραφή φωνητικού μηνύματος",
  recording: "Γίνεται εγγραφή",
  recordDone: "Προσθήκη της εγγραφής",
  recordDiscard: "Απόρριψη της εγγραφής",
  voiceMessage: "Φωνητικό μήνυμα",
  micBlocked: "Το μικρόφωνο είναι αποκλεισμένο. Επιτρέψτε το στις ρυθμίσεις του προγράμματος περιήγησης.",
  micFailed: "Το μικρόφωνο δεν μπορεί να χρησιμοποιηθεί αυτή τη στιγμή.",

  emojiSearch: "Αναζήτηση emoji",
  emojiNone: "Δεν βρέθηκαν emoji",
  emojiFaces: "Φατσούλες",
  emojiPeople: "Άνθρωποι",
  emojiNature: "Ζώα και φύση",
  emojiFood: "Φαγητό και ποτό",
  emojiTravel: "Ταξίδια και μέρη",
  emojiThings: "Δραστηριότητες και αντικείμενα",
  emojiSymbols: "Σύμβολα",

  helpTitle: "Άρθρα βοήθειας",
  helpSearch: "Αναζήτηση στη βοήθεια",
  helpNone: "Δεν βρέθηκαν άρθρα",
  helpStart: "Στείλτε μας μήνυμα",
  helpContinue: "Συνέχεια της συνομιλίας",
  back: "Πίσω",
  helpOpen: "Άνοιγμα ολόκληρου του άρθρου",

  choose: "Επιλέξτε",
  fieldWrong: "Ελέγξτε αυτό το πεδίο.",
  yes: "Ναι",
};
