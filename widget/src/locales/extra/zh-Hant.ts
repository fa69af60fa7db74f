import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "拍照",
  record: "錄製語音訊息",
  recording: "正在錄音",
  recordDone: "加入錄音",
  recordDiscard: "刪除錄音",
  voiceMessage: "語音訊息",
  micBlocked: "麥克風遭到封鎖，請在瀏覽器設定中允許使用。",
  micFailed: "目前無法使用麥克風。",

  emojiSearch: "搜尋表情符號",
  emojiNone: "找不到表情符號",
  emojiFaces: "笑臉",
  emojiPeople: "人物",
  emojiNature: "動物與大自然",
  emojiFood: "食物與飲料",
  emojiTravel: "旅遊與地點",
  emojiThings: "活動與物品",
  emojiSymbols: "符號",

  helpTitle: "說明文章",
  helpSearch: "搜尋說明",
  helpNone: "找不到文章",
  helpStart: "傳送訊息給我們",
  helpContinue: "繼續對話",
  back: "返回",
  helpOpen: "開啟完整文章",

  choose: "請選擇",
  fieldWrong: "請檢查此欄位。",
  yes: "是",
};
