import type { Extra } from "./en.ts";

export const extra: Extra = {
  camera: "ถ่ายรูป",
  record: "อัดข้อความเสียง",
  recording: "กำลังอัดเสียง",
  recordDone: "เพิ่มเสียงที่อัด",
  recordDiscard: "ทิ้งเสียงที่อัด",
  voiceMessage: "ข้อความเสียง",
  micBlocked: "ไมโครโฟนถูกบล็อก โปรดอนุญาตในการตั้งค่าเบราว์เซอร์",
  micFailed: "ใช้ไมโครโฟนไม่ได้ในขณะนี้",

  emojiSearch: "ค้นหาอีโมจิ",
  emojiNone: "ไม่พบอีโมจิ",
  emojiFaces: "หน้ายิ้ม",
  emojiPeople: "ผู้คน",
  emojiNature: "สัตว์และธรรมชาติ",
  emojiFood: "อาหารและเครื่องดื่ม",
  emojiTravel: "การเดินทางและสถานที่",
  emojiThings: "กิจกรรมและสิ่งของ",
  emojiSymbols: "สัญลักษณ์",

  helpTitle: "บทความช่วยเหลือ",
  helpSearch: "ค้นหาความช่วยเหลือ",
  helpNone: "ไม่พบบทความ",
  helpStart: "ส่งข้อความถึงเรา",
  helpContinue: "คุยต่อ",
  back: "กลับ",
  helpOpen: "เปิดบทความฉบับเต็ม",

  choose: "โปรดเลือก",
  fieldWrong: "โปรดตรวจสอบช่องนี้",
  yes: "ใช่",
};
