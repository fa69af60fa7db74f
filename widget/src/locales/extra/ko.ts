import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "사진 찍기",
  record: "음성 메시지 녹음",
  recording: "녹음 중",
  recordDone: "녹음 추가",
  recordDiscard: "녹음 삭제",
  voiceMessage: "음성 메시지",
  micBlocked: "마이크가 차단되어 있어요. 브라우저 설정에서 허용해 주세요.",
  micFailed: "지금은 마이크를 사용할 수 없어요.",

  emojiSearch: "이모지 검색",
  emojiNone: "이모지를 찾을 수 없어요",
  emojiFaces: "표정",
  emojiPeople: "사람",
  emojiNature: "동물과 자연",
  emojiFood: "음식과 음료",
  emojiTravel: "여행과 장소",
  emojiThings: "활동과 사물",
  emojiSymbols: "기호",

  helpTitle: "도움말",
  helpSearch: "도움말 검색",
  helpNone: "도움말을 찾을 수 없어요",
  helpStart: "메시지 보내기",
  helpContinue: "대화 계속하기",
  back: "뒤로",
  helpOpen: "도움말 전체 보기",

  choose: "선택해 주세요",
  fieldWrong: "이 항목을 확인해 주세요.",
  yes: "예",
};
