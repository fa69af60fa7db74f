import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "拍照",
  record: "录制语音消息",
  recording: "正在录音",
  recordDone: "添加录音",
  recordDiscard: "删除录音",
  voiceMessage: "语音消息",
  micBlocked: "麦克风已被禁用，请在浏览器设置中允许使用。",
  micFailed: "目前无法使用麦克风。",

  emojiSearch: "搜索表情",
  emojiNone: "未找到表情",
  emojiFaces: "笑脸",
  emojiPeople: "人物",
  emojiNature: "动物与自然",
  emojiFood: "食物与饮料",
  emojiTravel: "旅行与地点",
  emojiThings: "活动与物品",
  emojiSymbols: "符号",

  helpTitle: "帮助文章",
  helpSearch: "搜索帮助",
  helpNone: "未找到文章",
  helpStart: "给我们发消息",
  helpContinue: "继续对话",
  back: "返回",
  helpOpen: "打开完整文章",

  choose: "请选择",
  fieldWrong: "请检查此项。",
  yes: "是",
};
