import { languageOf } from "../base/language.ts";

/** The fixed words of a mail. `stop`: label of the unsubscribe link. `stopped`: shown after it was used. */
type Words = readonly [open: string, stop: string, you: string, stopped: string];

export type MailWords = { open: string; stop: string; you: string; stopped: string; language: string; dir: string };

export const MAIL_WORDS: Readonly<Record<string, Words>> = {
  am: ["ውይይቱን ክፈት", "እነዚህን ኢሜይሎች አቁም", "እርስዎ", "ወደዚህ አድራሻ ከእንግዲህ እንደዚህ ያሉ ኢሜይሎች አይላኩም።"],
  ar: ["فتح المحادثة", "إيقاف هذه الرسائل", "أنت", "لن تصل رسائل كهذه إلى هذا العنوان بعد الآن."],
  bg: ["Към чата", "Без повече имейли", "Вие", "На този адрес няма да пристигат повече такива имейли."],
  bn: ["চ্যাট খুলুন", "আর ইমেল চাই না", "আপনি", "এই ঠিকানায় আর এমন ইমেল আসবে না।"],
  ca: ["Obre el xat", "No en vull rebre més", "Tu", "En aquesta adreça no arribaran més correus com aquest."],
  cs: ["Otevřít chat", "Odhlásit tyto e-maily", "Vy", "Na tuto adresu už takové e-maily chodit nebudou."],
  da: ["Åbn chatten", "Ikke flere e-mails", "Dig", "Der sendes ikke flere af disse e-mails til denne adresse."],
  de: ["Zum Chat", "Diese E-Mails abbestellen", "Sie", "An diese Adresse werden keine solchen E-Mails mehr gesendet."],
  el: [
    "Άνοιγμα συνομιλίας",
    "Διακοπή αυτών των email",
    "Εσείς",
    "Δεν θα στέλνονται πια τέτοια email σε αυτή τη διεύθυνση.",
  ],
  en: ["Open the chat", "Stop these emails", "You", "No more of these emails will be sent to this address."],
  es: ["Abrir el chat", "No recibir más correos", "Tú", "A esta dirección no llegarán más correos como este."],
  et: ["Ava vestlus", "Rohkem kirju ei soovi", "Teie", "Sellele aadressile niisuguseid kirju enam ei saadeta."],
  fa: ["باز کردن گفتگو", "لغو دریافت این ایمیل‌ها", "شما", "دیگر چنین ایمیلی به این نشانی فرستاده نمی‌شود."],
  fi: ["Avaa chat", "Lopeta nämä viestit", "Sinä", "Tähän osoitteeseen ei enää lähetetä näitä viestejä."],
  fil: [
    "Buksan ang chat",
    "Itigil ang mga email na ito",
    "Ikaw",
    "Wala nang ganitong email na ipapadala sa address na ito.",
  ],
  fr: ["Ouvrir le chat", "Ne plus recevoir ces e-mails", "Vous", "Ces e-mails ne seront plus envoyés à cette adresse."],
  gu: ["ચેટ ખોલો", "આ ઇમેઇલ બંધ કરો", "તમે", "આ સરનામે હવે આવા ઇમેઇલ નહીં આવે."],
  he: ["לפתיחת הצ׳אט", "להפסקת האימיילים האלה", "אתם", "אימיילים כאלה לא יישלחו עוד לכתובת הזאת."],
  hi: ["चैट खोलें", "ये ईमेल बंद करें", "आप", "इस पते पर अब ऐसे ईमेल नहीं आएँगे।"],
  hr: ["Otvori chat", "Ne šalji više takvu e-poštu", "Vi", "Na ovu adresu više nećemo slati takvu e-poštu."],
  hu: ["Csevegés megnyitása", "Nem kérek több e-mailt", "Ön", "Erre a címre nem küldünk több ilyen e-mailt."],
  id: ["Buka chat", "Berhenti menerima email ini", "Anda", "Email seperti ini tidak akan dikirim lagi ke alamat ini."],
  is: ["Opna spjallið", "Ekki fleiri tölvupósta", "Þú", "Ekki verða sendir fleiri slíkir tölvupóstar á þetta netfang."],
  it: [
    "Apri la chat",
    "Non ricevere più queste e-mail",
    "Tu",
    "A questo indirizzo non arriveranno più e-mail come questa.",
  ],
  ja: ["チャットを開く", "このメールの配信を停止", "あなた", "このアドレスへの配信を停止しました。"],
  kk: ["Чатты ашу", "Енді жібермеңіз", "Сіз", "Бұл мекенжайға мұндай хаттар енді келмейді."],
  kn: ["ಚಾಟ್ ತೆರೆಯಿರಿ", "ಈ ಇಮೇಲ್‌ಗಳನ್ನು ನಿಲ್ಲಿಸಿ", "ನೀವು", "ಈ ವಿಳಾಸಕ್ಕೆ ಇನ್ನು ಇಂತಹ ಇಮೇಲ್‌ಗಳು ಬರುವುದಿಲ್ಲ."],
  ko: ["채팅 열기", "메일 그만 받기", "나", "이 주소로는 더 이상 이런 메일을 보내지 않아요."],
  lt: ["Atverti pokalbį", "Daugiau nesiųsti šių laiškų", "Jūs", "Šiuo adresu tokių laiškų daugiau nesiųsime."],
  lv: ["Atvērt tērzēšanu", "Vairs nesūtīt šos e-pastus", "Jūs", "Uz šo adresi šādi e-pasti vairs netiks sūtīti."],
  ml: ["ചാറ്റ് തുറക്കുക", "ഈ ഇമെയിലുകൾ നിർത്തുക", "നിങ്ങൾ", "ഈ വിലാസത്തിലേക്ക് ഇനി ഇത്തരം ഇമെയിലുകൾ വരില്ല."],
  mr: ["चॅट उघडा", "हे ईमेल थांबवा", "तुम्ही", "या पत्त्यावर यापुढे असे ईमेल येणार नाहीत."],
  ms: ["Buka sembang", "Jangan hantar e-mel lagi", "Anda", "E-mel seperti ini tidak akan dihantar lagi ke alamat ini."],
  my: ["ချတ်ကို ဖွင့်ရန်", "ဤအီးမေးလ်များ ရပ်ရန်", "သင်", "ဤလိပ်စာသို့ ဤသို့သော အီးမေးလ်များ နောက်ထပ် မပို့တော့ပါ။"],
  nb: ["Åpne chatten", "Ingen flere e-poster", "Du", "Det sendes ikke flere slike e-poster til denne adressen."],
  ne: ["च्याट खोल्नुहोस्", "यी इमेल रोक्नुहोस्", "तपाईं", "यो ठेगानामा अब यस्ता इमेल आउने छैनन्।"],
  nl: ["Chat openen", "Geen e-mails meer", "Jij", "Naar dit adres worden deze e-mails niet meer gestuurd."],
  pa: ["ਚੈਟ ਖੋਲ੍ਹੋ", "ਇਹ ਈਮੇਲਾਂ ਬੰਦ ਕਰੋ", "ਤੁਸੀਂ", "ਇਸ ਪਤੇ ’ਤੇ ਹੁਣ ਅਜਿਹੀਆਂ ਈਮੇਲਾਂ ਨਹੀਂ ਆਉਣਗੀਆਂ।"],
  pl: ["Otwórz czat", "Zrezygnuj z tych e-maili", "Ty", "Na ten adres nie będą już przychodzić takie wiadomości."],
  ps: ["چټ پرانیزئ", "نور برېښنالیکونه مه لېږئ", "تاسو", "دې پتې ته به نور داسې برېښنالیکونه ونه لېږل شي."],
  "pt-BR": ["Abrir o chat", "Não receber mais e-mails", "Você", "Este endereço não receberá mais estes e-mails."],
  "pt-PT": ["Abrir o chat", "Não receber mais e-mails", "Eu", "Este endereço não receberá mais estes e-mails."],
  ro: [
    "Deschide chatul",
    "Nu mai trimite e-mailuri",
    "Tu",
    "La această adresă nu vor mai fi trimise astfel de e-mailuri.",
  ],
  ru: ["Открыть чат", "Отписаться от этих писем", "Вы", "На этот адрес такие письма больше приходить не будут."],
  sk: ["Otvoriť chat", "Odhlásiť tieto e-maily", "Vy", "Na túto adresu už takéto e-maily nebudú chodiť."],
  sl: ["Odpri klepet", "Nič več e-pošte", "Vi", "Na ta naslov ne bomo več pošiljali takih sporočil."],
  sr: ["Отвори чет", "Не шаљи више имејлове", "Ви", "На ову адресу више неће стизати овакви имејлови."],
  "sr-Latn": ["Otvori čet", "Ne šalji više imejlove", "Vi", "Na ovu adresu više neće stizati ovakvi imejlovi."],
  sv: ["Öppna chatten", "Inga fler mejl", "Du", "Inga fler sådana mejl skickas till den här adressen."],
  sw: ["Fungua gumzo", "Acha kutuma barua pepe hizi", "Wewe", "Barua pepe kama hizi hazitatumwa tena kwa anwani hii."],
  ta: ["அரட்டையைத் திற", "இனி மின்னஞ்சல் வேண்டாம்", "நீங்கள்", "இந்த முகவரிக்கு இனி இத்தகைய மின்னஞ்சல்கள் வராது."],
  te: ["చాట్ తెరవండి", "ఈ ఇమెయిల్స్ ఆపండి", "మీరు", "ఈ చిరునామాకు ఇకపై ఇలాంటి ఇమెయిల్స్ రావు."],
  th: ["เปิดแชท", "ไม่รับอีเมลเหล่านี้อีก", "คุณ", "จะไม่มีการส่งอีเมลแบบนี้ไปยังที่อยู่นี้อีก"],
  tr: ["Sohbeti aç", "Bu e-postaları durdur", "Siz", "Bu adrese artık bu tür e-postalar gönderilmeyecek."],
  uk: ["Відкрити чат", "Відписатися від цих листів", "Ви", "На цю адресу такі листи більше не надходитимуть."],
  ur: ["چیٹ کھولیں", "مزید ای میل نہ بھیجیں", "آپ", "اس پتے پر اب ایسی ای میل نہیں آئیں گی۔"],
  uz: ["Chatni ochish", "Boshqa xat yubormang", "Siz", "Bu manzilga endi bunday xatlar yuborilmaydi."],
  vi: ["Mở khung chat", "Ngừng nhận các email này", "Bạn", "Địa chỉ này sẽ không nhận những email như vậy nữa."],
  "zh-Hans": ["打开聊天", "不再接收这类邮件", "您", "此邮箱将不再收到这类邮件。"],
  "zh-Hant": ["開啟聊天", "不再接收這類郵件", "您", "此信箱將不再收到這類郵件。"],
};

const RTL = /^(ar|fa|he|ps|ur)\b/;

/** The words of a language and its direction; English if there are none. @param tag BCP 47 */
export function mailWords(tag: string): MailWords {
  const language = nameOf(tag);
  const [open, stop, you, stopped] = MAIL_WORDS[language] ?? (MAIL_WORDS.en as Words);
  return { open, stop, you, stopped, language, dir: RTL.test(language) ? "rtl" : "ltr" };
}

/** The nearest language with words. */
const nameOf = (tag: string): string => languageOf(tag)?.names.find((name) => Object.hasOwn(MAIL_WORDS, name)) ?? "en";
