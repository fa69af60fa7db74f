import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "Chụp ảnh",
  record: "Ghi âm tin nhắn thoại",
  recording: "Đang ghi âm",
  recordDone: "Thêm bản ghi âm",
  recordDiscard: "Bỏ bản ghi âm",
  voiceMessage: "Tin nhắn thoại",
  micBlocked: "Micrô đang bị chặn. Hãy cho phép trong phần cài đặt của trình duyệt.",
  micFailed: "Hiện không dùng được micrô.",

  emojiSearch: "Tìm biểu tượng cảm xúc",
  emojiNone: "Không tìm thấy biểu tượng nào",
  emojiFaces: "Mặt cười",
  emojiPeople: "Con người",
  emojiNature: "Động vật và thiên nhiên",
  emojiFood: "Đồ ăn và đồ uống",
  emojiTravel: "Du lịch và địa điểm",
  emojiThings: "Hoạt động và đồ vật",
  emojiSymbols: "Ký hiệu",

  helpTitle: "Bài viết trợ giúp",
  helpSearch: "Tìm trợ giúp",
  helpNone: "Không tìm thấy bài viết nào",
  helpStart: "Nhắn tin cho chúng tôi",
  helpContinue: "Tiếp tục cuộc trò chuyện",
  back: "Quay lại",
  helpOpen: "Mở toàn bộ bài viết",

  choose: "Vui lòng chọn",
  fieldWrong: "Vui lòng kiểm tra ô này.",
  yes: "Có",
};
