import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "写真を撮る",
  record: "ボイスメッセージを録音",
  recording: "録音中",
  recordDone: "録音を追加",
  recordDiscard: "録音を破棄",
  voiceMessage: "ボイスメッセージ",
  micBlocked: "マイクがブロックされています。ブラウザの設定で許可してください。",
  micFailed: "現在マイクを使用できません。",

  emojiSearch: "絵文字を検索",
  emojiNone: "絵文字が見つかりません",
  emojiFaces: "スマイリー",
  emojiPeople: "人物",
  emojiNature: "動物と自然",
  emojiFood: "食べ物と飲み物",
  emojiTravel: "旅行と場所",
  emojiThings: "活動と物",
  emojiSymbols: "記号",

  helpTitle: "ヘルプ記事",
  helpSearch: "ヘルプを検索",
  helpNone: "記事が見つかりません",
  helpStart: "メッセージを送る",
  helpContinue: "会話を続ける",
  back: "戻る",
  helpOpen: "記事の全文を開く",

  choose: "選択してください",
  fieldWrong: "入力内容をご確認ください。",
  yes: "はい",
};
