/** The fixed words of an e-mail: [open the chat, no more of these e-mails, you]. */
type Words = readonly [open: string, stop: string, you: string];

const WORDS: Readonly<Record<string, Words>> = {
  ar: ["فتح الدردشة", "إيقاف هذه الرسائل", "أنت"],
  bg: ["Към чата", "Без повече имейли", "Вие"],
  bn: ["চ্যাট খুলুন", "আর ই-মেইল চাই না", "আপনি"],
  ca: ["Obre el xat", "No en vull rebre més", "Tu"],
  cs: ["Otevřít chat", "Už neposílat", "Vy"],
  da: ["Åbn chatten", "Ikke flere mails", "Dig"],
  de: ["Zum Chat", "Keine weiteren E-Mails", "Sie"],
  el: ["Άνοιγμα συνομιλίας", "Όχι άλλα e-mail", "Εσείς"],
  en: ["Open the chat", "No more of these e-mails", "You"],
  es: ["Abrir el chat", "No recibir más correos", "Tú"],
  et: ["Ava vestlus", "Rohkem kirju ei soovi", "Sina"],
  fa: ["باز کردن گفتگو", "دیگر ایمیل نفرستید", "شما"],
  fi: ["Avaa chat", "Ei enempää viestejä", "Sinä"],
  fr: ["Ouvrir le chat", "Ne plus recevoir ces e-mails", "Vous"],
  he: ["לפתיחת הצ'אט", "בלי מיילים נוספים", "אני"],
  hi: ["चैट खोलें", "और ई-मेल न भेजें", "आप"],
  hr: ["Otvori chat", "Ne šalji više", "Vi"],
  hu: ["Chat megnyitása", "Nem kérek több e-mailt", "Ön"],
  id: ["Buka chat", "Berhenti menerima e-mail ini", "Anda"],
  is: ["Opna spjallið", "Ekki fleiri tölvupósta", "Þú"],
  it: ["Apri la chat", "Niente più e-mail", "Tu"],
  ja: ["チャットを開く", "このメールの配信を停止", "あなた"],
  ko: ["채팅 열기", "메일 그만 받기", "나"],
  lt: ["Atverti pokalbį", "Daugiau nesiųsti", "Jūs"],
  lv: ["Atvērt tērzēšanu", "Vairs nesūtīt", "Jūs"],
  ms: ["Buka sembang", "Jangan hantar e-mel lagi", "Anda"],
  nb: ["Åpne chatten", "Ingen flere e-poster", "Du"],
  nl: ["Chat openen", "Geen e-mails meer", "U"],
  pl: ["Otwórz czat", "Nie wysyłaj więcej", "Ty"],
  "pt-BR": ["Abrir o chat", "Não receber mais e-mails", "Você"],
  pt: ["Abrir o chat", "Não receber mais e-mails", "Eu"],
  ro: ["Deschide chatul", "Nu mai trimite e-mailuri", "Dvs."],
  ru: ["Открыть чат", "Больше не присылать", "Вы"],
  sk: ["Otvoriť chat", "Už neposielať", "Vy"],
  sl: ["Odpri klepet", "Nič več e-pošte", "Vi"],
  sr: ["Отвори ћаскање", "Не шаљи више", "Ви"],
  "sr-Latn": ["Otvori ćaskanje", "Ne šalji više", "Vi"],
  sv: ["Öppna chatten", "Inga fler mejl", "Du"],
  ta: ["அரட்டையைத் திற", "இனி மின்னஞ்சல் வேண்டாம்", "நீங்கள்"],
  th: ["เปิดแชต", "ไม่รับอีเมลเหล่านี้อีก", "คุณ"],
  tr: ["Sohbeti aç", "Artık e-posta gönderme", "Siz"],
  uk: ["Відкрити чат", "Більше не надсилати", "Ви"],
  ur: ["چیٹ کھولیں", "مزید ای میل نہ بھیجیں", "آپ"],
  vi: ["Mở trò chuyện", "Ngừng nhận các e-mail này", "Bạn"],
  "zh-Hans": ["打开聊天", "不再接收这类邮件", "您"],
  "zh-Hant": ["開啟聊天", "不再接收這類郵件", "您"],
};

const RTL = /^(ar|fa|he|ur)\b/;

/** The words of a language and how it runs; English where there are none. @param tag BCP 47 */
export function mailWords(tag: string): { open: string; stop: string; you: string; language: string; dir: string } {
  const language = nameOf(tag);
  const [open, stop, you] = WORDS[language] ?? (WORDS.en as Words);
  return { open, stop, you, language, dir: RTL.test(language) ? "rtl" : "ltr" };
}

/** The nearest language that there are words of: by region or script, then by itself. */
function nameOf(tag: string): string {
  try {
    const { language, script, region } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
    const spoken = language === "no" ? "nb" : language;
    const names = [`${spoken}-${region}`, `${spoken}-${script}`, spoken];
    return names.find((name) => Object.hasOwn(WORDS, name)) ?? "en";
  } catch {
    return "en";
  }
}
