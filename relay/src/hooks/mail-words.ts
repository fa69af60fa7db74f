import { languageOf } from "../base/language.ts";

/**
 * The fixed words of a mail. `open`: label of the link to the chat. `stop`: label of the unsubscribe link. `you`: author of the
 * visitor's own messages. `stopped`: shown after the unsubscribe link was used.
 */
type Words = { open: string; stop: string; you: string; stopped: string };

/** The words of a mail in one language. `language`: BCP 47. `dir`: `ltr` or `rtl`, as in HTML. */
export type MailWords = Words & { language: string; dir: string };

/** The words by language (BCP 47). */
export const MAIL_WORDS: Readonly<Record<string, Words>> = {
  am: {
    open: "ውይይቱን ክፈት",
    stop: "እነዚህን ኢሜይሎች አቁም",
    you: "እርስዎ",
    stopped: "ወደዚህ አድራሻ ከእንግዲህ እንደዚህ ያሉ ኢሜይሎች አይላኩም።",
  },
  ar: {
    open: "فتح المحادثة",
    stop: "إيقاف هذه الرسائل",
    you: "أنت",
    stopped: "لن تصل رسائل كهذه إلى هذا العنوان بعد الآن.",
  },
  bg: {
    open: "Към чата",
    stop: "Без повече имейли",
    you: "Вие",
    stopped: "На този адрес няма да пристигат повече такива имейли.",
  },
  bn: {
    open: "চ্যাট খুলুন",
    stop: "আর ইমেল চাই না",
    you: "আপনি",
    stopped: "এই ঠিকানায় আর এমন ইমেল আসবে না।",
  },
  ca: {
    open: "Obre el xat",
    stop: "No en vull rebre més",
    you: "Tu",
    stopped: "En aquesta adreça no arribaran més correus com aquest.",
  },
  cs: {
    open: "Otevřít chat",
    stop: "Odhlásit tyto e-maily",
    you: "Vy",
    stopped: "Na tuto adresu už takové e-maily chodit nebudou.",
  },
  da: {
    open: "Åbn chatten",
    stop: "Ikke flere e-mails",
    you: "Dig",
    stopped: "Der sendes ikke flere af disse e-mails til denne adresse.",
  },
  de: {
    open: "Zum Chat",
    stop: "Diese E-Mails abbestellen",
    you: "Sie",
    stopped: "An diese Adresse werden keine solchen E-Mails mehr gesendet.",
  },
  el: {
    open: "Άνοιγμα συνομιλίας",
    stop: "Διακοπή αυτών των email",
    you: "Εσείς",
    stopped: "Δεν θα στέλνονται πια τέτοια email σε αυτή τη διεύθυνση.",
  },
  en: {
    open: "Open the chat",
    stop: "Stop these emails",
    you: "You",
    stopped: "No more of these emails will be sent to this address.",
  },
  es: {
    open: "Abrir el chat",
    stop: "No recibir más correos",
    you: "Tú",
    stopped: "A esta dirección no llegarán más correos como este.",
  },
  et: {
    open: "Ava vestlus",
    stop: "Rohkem kirju ei soovi",
    you: "Teie",
    stopped: "Sellele aadressile niisuguseid kirju enam ei saadeta.",
  },
  fa: {
    open: "باز کردن گفتگو",
    stop: "لغو دریافت این ایمیل‌ها",
    you: "شما",
    stopped: "دیگر چنین ایمیلی به این نشانی فرستاده نمی‌شود.",
  },
  fi: {
    open: "Avaa chat",
    stop: "Lopeta nämä viestit",
    you: "Sinä",
    stopped: "Tähän osoitteeseen ei enää lähetetä näitä viestejä.",
  },
  fil: {
    open: "Buksan ang chat",
    stop: "Itigil ang mga email na ito",
    you: "Ikaw",
    stopped: "Wala nang ganitong email na ipapadala sa address na ito.",
  },
  fr: {
    open: "Ouvrir le chat",
    stop: "Ne plus recevoir ces e-mails",
    you: "Vous",
    stopped: "Ces e-mails ne seront plus envoyés à cette adresse.",
  },
  gu: {
    open: "ચેટ ખોલો",
    stop: "આ ઇમેઇલ બંધ કરો",
    you: "તમે",
    stopped: "આ સરનામે હવે આવા ઇમેઇલ નહીં આવે.",
  },
  he: {
    open: "לפתיחת הצ׳אט",
    stop: "להפסקת האימיילים האלה",
    you: "אתם",
    stopped: "אימיילים כאלה לא יישלחו עוד לכתובת הזאת.",
  },
  hi: {
    open: "चैट खोलें",
    stop: "ये ईमेल बंद करें",
    you: "आप",
    stopped: "इस पते पर अब ऐसे ईमेल नहीं आएँगे।",
  },
  hr: {
    open: "Otvori chat",
    stop: "Ne šalji više takvu e-poštu",
    you: "Vi",
    stopped: "Na ovu adresu više nećemo slati takvu e-poštu.",
  },
  hu: {
    open: "Csevegés megnyitása",
    stop: "Nem kérek több e-mailt",
    you: "Ön",
    stopped: "Erre a címre nem küldünk több ilyen e-mailt.",
  },
  id: {
    open: "Buka chat",
    stop: "Berhenti menerima email ini",
    you: "Anda",
    stopped: "Email seperti ini tidak akan dikirim lagi ke alamat ini.",
  },
  is: {
    open: "Opna spjallið",
    stop: "Ekki fleiri tölvupósta",
    you: "Þú",
    stopped: "Ekki verða sendir fleiri slíkir tölvupóstar á þetta netfang.",
  },
  it: {
    open: "Apri la chat",
    stop: "Non ricevere più queste e-mail",
    you: "Tu",
    stopped: "A questo indirizzo non arriveranno più e-mail come questa.",
  },
  ja: {
    open: "チャットを開く",
    stop: "このメールの配信を停止",
    you: "あなた",
    stopped: "このアドレスへの配信を停止しました。",
  },
  kk: {
    open: "Чатты ашу",
    stop: "Енді жібермеңіз",
    you: "Сіз",
    stopped: "Бұл мекенжайға мұндай хаттар енді келмейді.",
  },
  kn: {
    open: "ಚಾಟ್ ತೆರೆಯಿರಿ",
    stop: "ಈ ಇಮೇಲ್‌ಗಳನ್ನು ನಿಲ್ಲಿಸಿ",
    you: "ನೀವು",
    stopped: "ಈ ವಿಳಾಸಕ್ಕೆ ಇನ್ನು ಇಂತಹ ಇಮೇಲ್‌ಗಳು ಬರುವುದಿಲ್ಲ.",
  },
  ko: {
    open: "채팅 열기",
    stop: "메일 그만 받기",
    you: "나",
    stopped: "이 주소로는 더 이상 이런 메일을 보내지 않아요.",
  },
  lt: {
    open: "Atverti pokalbį",
    stop: "Daugiau nesiųsti šių laiškų",
    you: "Jūs",
    stopped: "Šiuo adresu tokių laiškų daugiau nesiųsime.",
  },
  lv: {
    open: "Atvērt tērzēšanu",
    stop: "Vairs nesūtīt šos e-pastus",
    you: "Jūs",
    stopped: "Uz šo adresi šādi e-pasti vairs netiks sūtīti.",
  },
  ml: {
    open: "ചാറ്റ് തുറക്കുക",
    stop: "ഈ ഇമെയിലുകൾ നിർത്തുക",
    you: "നിങ്ങൾ",
    stopped: "ഈ വിലാസത്തിലേക്ക് ഇനി ഇത്തരം ഇമെയിലുകൾ വരില്ല.",
  },
  mr: {
    open: "चॅट उघडा",
    stop: "हे ईमेल थांबवा",
    you: "तुम्ही",
    stopped: "या पत्त्यावर यापुढे असे ईमेल येणार नाहीत.",
  },
  ms: {
    open: "Buka sembang",
    stop: "Jangan hantar e-mel lagi",
    you: "Anda",
    stopped: "E-mel seperti ini tidak akan dihantar lagi ke alamat ini.",
  },
  my: {
    open: "ချတ်ကို ဖွင့်ရန်",
    stop: "ဤအီးမေးလ်များ ရပ်ရန်",
    you: "သင်",
    stopped: "ဤလိပ်စာသို့ ဤသို့သော အီးမေးလ်များ နောက်ထပ် မပို့တော့ပါ။",
  },
  nb: {
    open: "Åpne chatten",
    stop: "Ingen flere e-poster",
    you: "Du",
    stopped: "Det sendes ikke flere slike e-poster til denne adressen.",
  },
  ne: {
    open: "च्याट खोल्नुहोस्",
    stop: "यी इमेल रोक्नुहोस्",
    you: "तपाईं",
    stopped: "यो ठेगानामा अब यस्ता इमेल आउने छैनन्।",
  },
  nl: {
    open: "Chat openen",
    stop: "Geen e-mails meer",
    you: "Jij",
    stopped: "Naar dit adres worden deze e-mails niet meer gestuurd.",
  },
  pa: {
    open: "ਚੈਟ ਖੋਲ੍ਹੋ",
    stop: "ਇਹ ਈਮੇਲਾਂ ਬੰਦ ਕਰੋ",
    you: "ਤੁਸੀਂ",
    stopped: "ਇਸ ਪਤੇ ’ਤੇ ਹੁਣ ਅਜਿਹੀਆਂ ਈਮੇਲਾਂ ਨਹੀਂ ਆਉਣਗੀਆਂ।",
  },
  pl: {
    open: "Otwórz czat",
    stop: "Zrezygnuj z tych e-maili",
    you: "Ty",
    stopped: "Na ten adres nie będą już przychodzić takie wiadomości.",
  },
  ps: {
    open: "چټ پرانیزئ",
    stop: "نور برېښنالیکونه مه لېږئ",
    you: "تاسو",
    stopped: "دې پتې ته به نور داسې برېښنالیکونه ونه لېږل شي.",
  },
  "pt-BR": {
    open: "Abrir o chat",
    stop: "Não receber mais e-mails",
    you: "Você",
    stopped: "Este endereço não receberá mais estes e-mails.",
  },
  "pt-PT": {
    open: "Abrir o chat",
    stop: "Não receber mais e-mails",
    you: "Eu",
    stopped: "Este endereço não receberá mais estes e-mails.",
  },
  ro: {
    open: "Deschide chatul",
    stop: "Nu mai trimite e-mailuri",
    you: "Tu",
    stopped: "La această adresă nu vor mai fi trimise astfel de e-mailuri.",
  },
  ru: {
    open: "Открыть чат",
    stop: "Отписаться от этих писем",
    you: "Вы",
    stopped: "На этот адрес такие письма больше приходить не будут.",
  },
  sk: {
    open: "Otvoriť chat",
    stop: "Odhlásiť tieto e-maily",
    you: "Vy",
    stopped: "Na túto adresu už takéto e-maily nebudú chodiť.",
  },
  sl: {
    open: "Odpri klepet",
    stop: "Nič več e-pošte",
    you: "Vi",
    stopped: "Na ta naslov ne bomo več pošiljali takih sporočil.",
  },
  sr: {
    open: "Отвори чет",
    stop: "Не шаљи више имејлове",
    you: "Ви",
    stopped: "На ову адресу више неће стизати овакви имејлови.",
  },
  "sr-Latn": {
    open: "Otvori čet",
    stop: "Ne šalji više imejlove",
    you: "Vi",
    stopped: "Na ovu adresu više neće stizati ovakvi imejlovi.",
  },
  sv: {
    open: "Öppna chatten",
    stop: "Inga fler mejl",
    you: "Du",
    stopped: "Inga fler sådana mejl skickas till den här adressen.",
  },
  sw: {
    open: "Fungua gumzo",
    stop: "Acha kutuma barua pepe hizi",
    you: "Wewe",
    stopped: "Barua pepe kama hizi hazitatumwa tena kwa anwani hii.",
  },
  ta: {
    open: "அரட்டையைத் திற",
    stop: "இனி மின்னஞ்சல் வேண்டாம்",
    you: "நீங்கள்",
    stopped: "இந்த முகவரிக்கு இனி இத்தகைய மின்னஞ்சல்கள் வராது.",
  },
  te: {
    open: "చాట్ తెరవండి",
    stop: "ఈ ఇమెయిల్స్ ఆపండి",
    you: "మీరు",
    stopped: "ఈ చిరునామాకు ఇకపై ఇలాంటి ఇమెయిల్స్ రావు.",
  },
  th: {
    open: "เปิดแชท",
    stop: "ไม่รับอีเมลเหล่านี้อีก",
    you: "คุณ",
    stopped: "จะไม่มีการส่งอีเมลแบบนี้ไปยังที่อยู่นี้อีก",
  },
  tr: {
    open: "Sohbeti aç",
    stop: "Bu e-postaları durdur",
    you: "Siz",
    stopped: "Bu adrese artık bu tür e-postalar gönderilmeyecek.",
  },
  uk: {
    open: "Відкрити чат",
    stop: "Відписатися від цих листів",
    you: "Ви",
    stopped: "На цю адресу такі листи більше не надходитимуть.",
  },
  ur: {
    open: "چیٹ کھولیں",
    stop: "مزید ای میل نہ بھیجیں",
    you: "آپ",
    stopped: "اس پتے پر اب ایسی ای میل نہیں آئیں گی۔",
  },
  uz: {
    open: "Chatni ochish",
    stop: "Boshqa xat yubormang",
    you: "Siz",
    stopped: "Bu manzilga endi bunday xatlar yuborilmaydi.",
  },
  vi: {
    open: "Mở khung chat",
    stop: "Ngừng nhận các email này",
    you: "Bạn",
    stopped: "Địa chỉ này sẽ không nhận những email như vậy nữa.",
  },
  "zh-Hans": {
    open: "打开聊天",
    stop: "不再接收这类邮件",
    you: "您",
    stopped: "此邮箱将不再收到这类邮件。",
  },
  "zh-Hant": {
    open: "開啟聊天",
    stop: "不再接收這類郵件",
    you: "您",
    stopped: "此信箱將不再收到這類郵件。",
  },
};

/** Languages with words that are written from right to left. */
const RTL = /^(ar|fa|he|ps|ur)\b/;

/** The words of a language and its direction; English if there are none. @param tag BCP 47 */
export function mailWords(tag: string): MailWords {
  const language = nameOf(tag);
  const words = MAIL_WORDS[language] ?? (MAIL_WORDS.en as Words);
  return { ...words, language, dir: RTL.test(language) ? "rtl" : "ltr" };
}

/** The nearest language that has words; English if there is none. */
const nameOf = (tag: string): string => languageOf(tag)?.names.find((name) => Object.hasOwn(MAIL_WORDS, name)) ?? "en";
