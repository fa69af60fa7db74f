/**
 * Texts of pages on which no chat can run. `title`: title of the chat if its site has set none. `noChat`: heading when the site does
 * not exist. `linkGone`: heading when the link to a file or from a mail is no longer valid. `oldLink`: the reason, below `noChat`.
 * `goBack`: what to do, below either heading. `needsScript`: for a browser without JavaScript.
 */
export type NoticeWords = {
  title: string;
  noChat: string;
  linkGone: string;
  oldLink: string;
  goBack: string;
  needsScript: string;
};

export const ENGLISH: NoticeWords = {
  title: "Chat with us",
  noChat: "There is no chat at this address",
  linkGone: "This link no longer works",
  oldLink: "This link may be old or incomplete.",
  goBack: "Please go back to the website and open the chat there.",
  needsScript: "This chat needs JavaScript. Please turn it on and reload the page, or contact us another way.",
};

/** The words by BCP 47 tag. `test/conventions/languages.test.ts` compares the languages with the widget's. */
export const NOTICES: Readonly<Record<string, NoticeWords>> = {
  am: {
    title: "ያነጋግሩን",
    noChat: "በዚህ አድራሻ ውይይት የለም",
    linkGone: "ይህ አገናኝ ከእንግዲህ አይሠራም",
    oldLink: "ይህ አገናኝ ያረጀ ወይም ያልተሟላ ሊሆን ይችላል።",
    goBack: "እባክዎ ወደ ድረ-ገጹ ተመልሰው ውይይቱን እዚያ ይክፈቱ።",
    needsScript: "ይህ ውይይት JavaScript ያስፈልገዋል። እባክዎ ያብሩትና ገጹን እንደገና ይጫኑ፣ ወይም በሌላ መንገድ ያግኙን።",
  },
  ar: {
    title: "تحدّث معنا",
    noChat: "لا توجد محادثة في هذا العنوان",
    linkGone: "هذا الرابط لم يعد يعمل",
    oldLink: "قد يكون هذا الرابط قديمًا أو غير مكتمل.",
    goBack: "يُرجى العودة إلى الموقع وفتح المحادثة هناك.",
    needsScript: "تحتاج هذه المحادثة إلى JavaScript. يُرجى تفعيله وإعادة تحميل الصفحة، أو التواصل معنا بطريقة أخرى.",
  },
  bg: {
    title: "Пишете ни",
    noChat: "На този адрес няма чат",
    linkGone: "Тази връзка вече не работи",
    oldLink: "Връзката може да е стара или непълна.",
    goBack: "Моля, върнете се в сайта и отворете чата оттам.",
    needsScript:
      "Този чат изисква JavaScript. Моля, включете го и презаредете страницата или се свържете с нас по друг начин.",
  },
  bn: {
    title: "আমাদের সঙ্গে কথা বলুন",
    noChat: "এই ঠিকানায় কোনো চ্যাট নেই",
    linkGone: "এই লিংকটি আর কাজ করে না",
    oldLink: "লিংকটি পুরোনো বা অসম্পূর্ণ হতে পারে।",
    goBack: "ওয়েবসাইটে ফিরে গিয়ে সেখান থেকে চ্যাট খুলুন।",
    needsScript: "এই চ্যাটের জন্য JavaScript দরকার। এটি চালু করে পেজটি রিলোড করুন, অথবা অন্যভাবে আমাদের সঙ্গে যোগাযোগ করুন।",
  },
  ca: {
    title: "Xateja amb nosaltres",
    noChat: "No hi ha cap xat en aquesta adreça",
    linkGone: "Aquest enllaç ja no funciona",
    oldLink: "Potser l’enllaç és antic o incomplet.",
    goBack: "Torna al lloc web i obre-hi el xat.",
    needsScript:
      "Aquest xat necessita JavaScript. Activa’l i torna a carregar la pàgina, o contacta amb nosaltres d’una altra manera.",
  },
  cs: {
    title: "Napište nám",
    noChat: "Na této adrese žádný chat není",
    linkGone: "Tento odkaz už nefunguje",
    oldLink: "Odkaz může být starý nebo neúplný.",
    goBack: "Vraťte se prosím na web a otevřete chat tam.",
    needsScript:
      "Tento chat vyžaduje JavaScript. Zapněte ho prosím a načtěte stránku znovu, nebo nás kontaktujte jinak.",
  },
  da: {
    title: "Chat med os",
    noChat: "Der er ingen chat på denne adresse",
    linkGone: "Linket virker ikke længere",
    oldLink: "Linket kan være gammelt eller ufuldstændigt.",
    goBack: "Gå tilbage til webstedet, og åbn chatten der.",
    needsScript: "Chatten kræver JavaScript. Slå det til, og genindlæs siden, eller kontakt os på en anden måde.",
  },
  de: {
    title: "Chatten Sie mit uns",
    noChat: "Unter dieser Adresse gibt es keinen Chat",
    linkGone: "Dieser Link funktioniert nicht mehr",
    oldLink: "Der Link ist vielleicht veraltet oder unvollständig.",
    goBack: "Bitte gehen Sie zurück zur Website und öffnen Sie den Chat dort.",
    needsScript:
      "Dieser Chat benötigt JavaScript. Bitte aktivieren Sie es und laden Sie die Seite neu, oder kontaktieren Sie uns auf anderem Weg.",
  },
  el: {
    title: "Μιλήστε μαζί μας",
    noChat: "Δεν υπάρχει συνομιλία σε αυτή τη διεύθυνση",
    linkGone: "Αυτός ο σύνδεσμος δεν λειτουργεί πια",
    oldLink: "Ο σύνδεσμος ίσως είναι παλιός ή ελλιπής.",
    goBack: "Επιστρέψτε στον ιστότοπο και ανοίξτε τη συνομιλία εκεί.",
    needsScript:
      "Η συνομιλία απαιτεί JavaScript. Ενεργοποιήστε το και φορτώστε ξανά τη σελίδα ή επικοινωνήστε μαζί μας με άλλον τρόπο.",
  },
  es: {
    title: "Chatea con nosotros",
    noChat: "No hay ningún chat en esta dirección",
    linkGone: "Este enlace ya no funciona",
    oldLink: "Puede que el enlace sea antiguo o esté incompleto.",
    goBack: "Vuelve al sitio web y abre el chat desde allí.",
    needsScript: "Este chat necesita JavaScript. Actívalo y vuelve a cargar la página, o contáctanos de otra forma.",
  },
  et: {
    title: "Vestelge meiega",
    noChat: "Sellel aadressil vestlust ei ole",
    linkGone: "See link enam ei tööta",
    oldLink: "Link võib olla vana või poolik.",
    goBack: "Palun minge tagasi veebisaidile ja avage vestlus seal.",
    needsScript:
      "See vestlus vajab JavaScripti. Palun lülitage see sisse ja laadige leht uuesti või võtke meiega ühendust muul viisil.",
  },
  fa: {
    title: "با ما گفتگو کنید",
    noChat: "در این نشانی گفتگویی نیست",
    linkGone: "این پیوند دیگر کار نمی‌کند",
    oldLink: "شاید این پیوند قدیمی یا ناقص باشد.",
    goBack: "لطفاً به وب‌سایت برگردید و گفتگو را آنجا باز کنید.",
    needsScript:
      "این گفتگو به JavaScript نیاز دارد. لطفاً آن را فعال و صفحه را دوباره بارگذاری کنید، یا از راه دیگری با ما تماس بگیرید.",
  },
  fi: {
    title: "Chattaa kanssamme",
    noChat: "Tässä osoitteessa ei ole chattia",
    linkGone: "Tämä linkki ei enää toimi",
    oldLink: "Linkki voi olla vanha tai vajaa.",
    goBack: "Palaa sivustolle ja avaa chat sieltä.",
    needsScript:
      "Chat tarvitsee JavaScriptin. Ota se käyttöön ja lataa sivu uudelleen, tai ota meihin yhteyttä muulla tavalla.",
  },
  fil: {
    title: "Mag-chat sa amin",
    noChat: "Walang chat sa address na ito",
    linkGone: "Hindi na gumagana ang link na ito",
    oldLink: "Maaaring luma o kulang ang link.",
    goBack: "Bumalik sa website at doon buksan ang chat.",
    needsScript:
      "Kailangan ng chat na ito ang JavaScript. Paki-on ito at i-reload ang page, o makipag-ugnayan sa amin sa ibang paraan.",
  },
  fr: {
    title: "Discutez avec nous",
    noChat: "Il n’y a pas de chat à cette adresse",
    linkGone: "Ce lien ne fonctionne plus",
    oldLink: "Ce lien est peut-être ancien ou incomplet.",
    goBack: "Veuillez revenir sur le site et y ouvrir le chat.",
    needsScript:
      "Ce chat nécessite JavaScript. Veuillez l’activer et recharger la page, ou nous contacter par un autre moyen.",
  },
  gu: {
    title: "અમારી સાથે વાત કરો",
    noChat: "આ સરનામે કોઈ ચેટ નથી",
    linkGone: "આ લિંક હવે કામ કરતી નથી",
    oldLink: "આ લિંક જૂની અથવા અધૂરી હોઈ શકે છે.",
    goBack: "કૃપા કરીને વેબસાઇટ પર પાછા જઈને ત્યાંથી ચેટ ખોલો.",
    needsScript: "આ ચેટને JavaScript જોઈએ છે. કૃપા કરીને તેને ચાલુ કરીને પેજ ફરી લોડ કરો, અથવા બીજી રીતે અમારો સંપર્ક કરો.",
  },
  he: {
    title: "דברו איתנו",
    noChat: "אין צ׳אט בכתובת הזאת",
    linkGone: "הקישור הזה כבר לא פעיל",
    oldLink: "ייתכן שהקישור ישן או חלקי.",
    goBack: "נא לחזור לאתר ולפתוח שם את הצ׳אט.",
    needsScript: "הצ׳אט הזה דורש JavaScript. נא להפעיל אותו ולרענן את הדף, או ליצור איתנו קשר בדרך אחרת.",
  },
  hi: {
    title: "हमसे बात करें",
    noChat: "इस पते पर कोई चैट नहीं है",
    linkGone: "यह लिंक अब काम नहीं करता",
    oldLink: "यह लिंक पुराना या अधूरा हो सकता है।",
    goBack: "कृपया वेबसाइट पर लौटकर वहीं चैट खोलें।",
    needsScript: "इस चैट के लिए JavaScript चाहिए। कृपया इसे चालू करके पेज फिर से लोड करें, या किसी और तरीके से हमसे संपर्क करें।",
  },
  hr: {
    title: "Pišite nam",
    noChat: "Na ovoj adresi nema chata",
    linkGone: "Ova poveznica više ne radi",
    oldLink: "Poveznica je možda stara ili nepotpuna.",
    goBack: "Vratite se na web-stranicu i ondje otvorite chat.",
    needsScript:
      "Za ovaj je chat potreban JavaScript. Uključite ga i ponovno učitajte stranicu ili nam se obratite na drugi način.",
  },
  hu: {
    title: "Írjon nekünk",
    noChat: "Ezen a címen nincs csevegés",
    linkGone: "Ez a hivatkozás már nem működik",
    oldLink: "A hivatkozás elavult vagy hiányos lehet.",
    goBack: "Térjen vissza a webhelyre, és ott nyissa meg a csevegést.",
    needsScript:
      "A csevegéshez JavaScript szükséges. Kapcsolja be, és töltse újra az oldalt, vagy keressen minket más módon.",
  },
  id: {
    title: "Chat dengan kami",
    noChat: "Tidak ada chat di alamat ini",
    linkGone: "Tautan ini sudah tidak berlaku",
    oldLink: "Tautan ini mungkin sudah lama atau tidak lengkap.",
    goBack: "Silakan kembali ke situs web dan buka chat dari sana.",
    needsScript:
      "Chat ini memerlukan JavaScript. Silakan aktifkan dan muat ulang halaman, atau hubungi kami dengan cara lain.",
  },
  is: {
    title: "Spjallaðu við okkur",
    noChat: "Ekkert netspjall er á þessari slóð",
    linkGone: "Þessi tengill virkar ekki lengur",
    oldLink: "Tengillinn gæti verið gamall eða ófullkominn.",
    goBack: "Farðu aftur á vefsíðuna og opnaðu spjallið þar.",
    needsScript: "Spjallið þarf JavaScript. Kveiktu á því og endurhladdu síðuna, eða hafðu samband á annan hátt.",
  },
  it: {
    title: "Chatta con noi",
    noChat: "Non c’è nessuna chat a questo indirizzo",
    linkGone: "Questo link non è più valido",
    oldLink: "Il link potrebbe essere vecchio o incompleto.",
    goBack: "Torna al sito e apri la chat da lì.",
    needsScript: "Questa chat richiede JavaScript. Attivalo e ricarica la pagina, oppure contattaci in un altro modo.",
  },
  ja: {
    title: "チャットで相談",
    noChat: "このアドレスにチャットはありません",
    linkGone: "このリンクは使用できなくなりました",
    oldLink: "リンクが古いか、途中で切れている可能性があります。",
    goBack: "ウェブサイトに戻ってチャットを開いてください。",
    needsScript:
      "このチャットにはJavaScriptが必要です。有効にしてページを再読み込みするか、別の方法でお問い合わせください。",
  },
  kk: {
    title: "Бізге жазыңыз",
    noChat: "Бұл мекенжайда чат жоқ",
    linkGone: "Бұл сілтеме енді жұмыс істемейді",
    oldLink: "Сілтеме ескі немесе толық емес болуы мүмкін.",
    goBack: "Сайтқа оралып, чатты сол жерден ашыңыз.",
    needsScript: "Бұл чатқа JavaScript қажет. Оны қосып, бетті қайта жүктеңіз немесе бізге басқа жолмен хабарласыңыз.",
  },
  kn: {
    title: "ನಮ್ಮೊಂದಿಗೆ ಮಾತನಾಡಿ",
    noChat: "ಈ ವಿಳಾಸದಲ್ಲಿ ಚಾಟ್ ಇಲ್ಲ",
    linkGone: "ಈ ಲಿಂಕ್ ಈಗ ಕೆಲಸ ಮಾಡುವುದಿಲ್ಲ",
    oldLink: "ಈ ಲಿಂಕ್ ಹಳೆಯದು ಅಥವಾ ಅಪೂರ್ಣವಾಗಿರಬಹುದು.",
    goBack: "ದಯವಿಟ್ಟು ವೆಬ್‌ಸೈಟ್‌ಗೆ ಹಿಂತಿರುಗಿ ಅಲ್ಲಿಂದ ಚಾಟ್ ತೆರೆಯಿರಿ.",
    needsScript: "ಈ ಚಾಟ್‌ಗೆ JavaScript ಬೇಕು. ದಯವಿಟ್ಟು ಅದನ್ನು ಆನ್ ಮಾಡಿ ಪುಟವನ್ನು ಮರುಲೋಡ್ ಮಾಡಿ, ಅಥವಾ ಬೇರೆ ರೀತಿಯಲ್ಲಿ ನಮ್ಮನ್ನು ಸಂಪರ್ಕಿಸಿ.",
  },
  ko: {
    title: "채팅 문의",
    noChat: "이 주소에는 채팅이 없어요",
    linkGone: "이 링크는 더 이상 사용할 수 없어요",
    oldLink: "링크가 오래됐거나 일부가 빠졌을 수 있어요.",
    goBack: "웹사이트로 돌아가 그곳에서 채팅을 열어 주세요.",
    needsScript:
      "이 채팅에는 JavaScript가 필요해요. JavaScript를 켜고 페이지를 새로고침하거나 다른 방법으로 문의해 주세요.",
  },
  lt: {
    title: "Parašykite mums",
    noChat: "Šiuo adresu pokalbio nėra",
    linkGone: "Ši nuoroda nebeveikia",
    oldLink: "Nuoroda gali būti sena arba nepilna.",
    goBack: "Grįžkite į svetainę ir atverkite pokalbį ten.",
    needsScript:
      "Šiam pokalbiui reikia „JavaScript“. Įjunkite jį ir įkelkite puslapį iš naujo arba susisiekite su mumis kitaip.",
  },
  lv: {
    title: "Rakstiet mums",
    noChat: "Šajā adresē tērzēšanas nav",
    linkGone: "Šī saite vairs nedarbojas",
    oldLink: "Saite var būt novecojusi vai nepilnīga.",
    goBack: "Lūdzu, atgriezieties vietnē un atveriet tērzēšanu tur.",
    needsScript:
      "Šai tērzēšanai ir nepieciešams JavaScript. Lūdzu, ieslēdziet to un pārlādējiet lapu vai sazinieties ar mums citādi.",
  },
  ml: {
    title: "ഞങ്ങളോട് സംസാരിക്കൂ",
    noChat: "ഈ വിലാസത്തിൽ ചാറ്റ് ഇല്ല",
    linkGone: "ഈ ലിങ്ക് ഇനി പ്രവർത്തിക്കില്ല",
    oldLink: "ഈ ലിങ്ക് പഴയതോ അപൂർണ്ണമോ ആകാം.",
    goBack: "വെബ്‌സൈറ്റിലേക്ക് മടങ്ങി അവിടെ ചാറ്റ് തുറക്കുക.",
    needsScript: "ഈ ചാറ്റിന് JavaScript വേണം. അത് ഓണാക്കി പേജ് വീണ്ടും ലോഡ് ചെയ്യുക, അല്ലെങ്കിൽ മറ്റൊരു വഴിയിൽ ഞങ്ങളെ ബന്ധപ്പെടുക.",
  },
  mr: {
    title: "आमच्याशी बोला",
    noChat: "या पत्त्यावर चॅट नाही",
    linkGone: "ही लिंक आता चालत नाही",
    oldLink: "ही लिंक जुनी किंवा अपूर्ण असू शकते.",
    goBack: "कृपया वेबसाइटवर परत जाऊन तिथे चॅट उघडा.",
    needsScript: "या चॅटला JavaScript लागते. कृपया ते सुरू करून पेज पुन्हा लोड करा, किंवा दुसऱ्या मार्गाने आमच्याशी संपर्क साधा.",
  },
  ms: {
    title: "Sembang dengan kami",
    noChat: "Tiada sembang di alamat ini",
    linkGone: "Pautan ini tidak lagi berfungsi",
    oldLink: "Pautan ini mungkin lama atau tidak lengkap.",
    goBack: "Sila kembali ke laman web dan buka sembang di sana.",
    needsScript:
      "Sembang ini memerlukan JavaScript. Sila hidupkannya dan muat semula halaman, atau hubungi kami dengan cara lain.",
  },
  my: {
    title: "ကျွန်ုပ်တို့နှင့် စကားပြောပါ",
    noChat: "ဤလိပ်စာတွင် ချတ် မရှိပါ",
    linkGone: "ဤလင့်ခ်ကို အသုံးပြု၍ မရတော့ပါ",
    oldLink: "လင့်ခ်က ဟောင်းနေခြင်း သို့မဟုတ် မပြည့်စုံခြင်း ဖြစ်နိုင်သည်။",
    goBack: "ဝဘ်ဆိုက်သို့ ပြန်သွားပြီး ချတ်ကို ထိုနေရာမှ ဖွင့်ပါ။",
    needsScript: "ဤချတ်အတွက် JavaScript လိုအပ်သည်။ ဖွင့်ပြီး စာမျက်နှာကို ပြန်ဖွင့်ပါ၊ သို့မဟုတ် အခြားနည်းဖြင့် ဆက်သွယ်ပါ။",
  },
  nb: {
    title: "Chat med oss",
    noChat: "Det er ingen chat på denne adressen",
    linkGone: "Denne lenken virker ikke lenger",
    oldLink: "Lenken kan være gammel eller ufullstendig.",
    goBack: "Gå tilbake til nettstedet og åpne chatten der.",
    needsScript: "Chatten krever JavaScript. Slå det på og last inn siden på nytt, eller kontakt oss på en annen måte.",
  },
  ne: {
    title: "हामीसँग कुरा गर्नुहोस्",
    noChat: "यो ठेगानामा च्याट छैन",
    linkGone: "यो लिङ्क अब काम गर्दैन",
    oldLink: "यो लिङ्क पुरानो वा अपूरो हुन सक्छ।",
    goBack: "कृपया वेबसाइटमा फर्केर त्यहीँबाट च्याट खोल्नुहोस्।",
    needsScript:
      "यो च्याटलाई JavaScript चाहिन्छ। कृपया यसलाई खोलेर पेज फेरि लोड गर्नुहोस्, वा अर्को तरिकाले हामीलाई सम्पर्क गर्नुहोस्।",
  },
  nl: {
    title: "Chat met ons",
    noChat: "Op dit adres is geen chat",
    linkGone: "Deze link werkt niet meer",
    oldLink: "Deze link is misschien oud of onvolledig.",
    goBack: "Ga terug naar de website en open de chat daar.",
    needsScript:
      "Deze chat heeft JavaScript nodig. Schakel het in en laad de pagina opnieuw, of neem op een andere manier contact op.",
  },
  pa: {
    title: "ਸਾਡੇ ਨਾਲ ਗੱਲ ਕਰੋ",
    noChat: "ਇਸ ਪਤੇ ’ਤੇ ਕੋਈ ਚੈਟ ਨਹੀਂ ਹੈ",
    linkGone: "ਇਹ ਲਿੰਕ ਹੁਣ ਕੰਮ ਨਹੀਂ ਕਰਦਾ",
    oldLink: "ਇਹ ਲਿੰਕ ਪੁਰਾਣਾ ਜਾਂ ਅਧੂਰਾ ਹੋ ਸਕਦਾ ਹੈ।",
    goBack: "ਕਿਰਪਾ ਕਰਕੇ ਵੈੱਬਸਾਈਟ ’ਤੇ ਵਾਪਸ ਜਾ ਕੇ ਉੱਥੋਂ ਚੈਟ ਖੋਲ੍ਹੋ।",
    needsScript: "ਇਸ ਚੈਟ ਲਈ JavaScript ਚਾਹੀਦਾ ਹੈ। ਕਿਰਪਾ ਕਰਕੇ ਇਸਨੂੰ ਚਾਲੂ ਕਰਕੇ ਪੇਜ ਮੁੜ ਲੋਡ ਕਰੋ, ਜਾਂ ਕਿਸੇ ਹੋਰ ਤਰੀਕੇ ਨਾਲ ਸਾਡੇ ਨਾਲ ਸੰਪਰਕ ਕਰੋ।",
  },
  pl: {
    title: "Napisz do nas",
    noChat: "Pod tym adresem nie ma czatu",
    linkGone: "Ten link już nie działa",
    oldLink: "Ten link może być stary lub niepełny.",
    goBack: "Wróć na stronę i otwórz czat stamtąd.",
    needsScript: "Ten czat wymaga JavaScriptu. Włącz go i odśwież stronę albo skontaktuj się z nami w inny sposób.",
  },
  ps: {
    title: "له موږ سره خبرې وکړئ",
    noChat: "په دې پته چټ نشته",
    linkGone: "دا لینک نور کار نه کوي",
    oldLink: "دا لینک ښايي زوړ یا نیمګړی وي.",
    goBack: "مهرباني وکړئ ویب‌پاڼې ته ستانه شئ او چټ هلته پرانیزئ.",
    needsScript:
      "دا چټ JavaScript ته اړتیا لري. مهرباني وکړئ فعال یې کړئ او پاڼه بیا بار کړئ، یا په بله لار له موږ سره اړیکه ونیسئ.",
  },
  "pt-BR": {
    title: "Fale com a gente",
    noChat: "Não há chat neste endereço",
    linkGone: "Este link não funciona mais",
    oldLink: "Este link pode ser antigo ou estar incompleto.",
    goBack: "Volte ao site e abra o chat por lá.",
    needsScript: "Este chat precisa de JavaScript. Ative-o e recarregue a página, ou fale com a gente de outra forma.",
  },
  "pt-PT": {
    title: "Fale connosco",
    noChat: "Não há nenhum chat neste endereço",
    linkGone: "Esta ligação já não funciona",
    oldLink: "Esta ligação pode ser antiga ou estar incompleta.",
    goBack: "Volte ao site e abra o chat a partir daí.",
    needsScript: "Este chat precisa de JavaScript. Ative-o e recarregue a página, ou contacte-nos de outra forma.",
  },
  ro: {
    title: "Scrie-ne",
    noChat: "Nu există niciun chat la această adresă",
    linkGone: "Acest link nu mai funcționează",
    oldLink: "Linkul poate fi vechi sau incomplet.",
    goBack: "Întoarce-te pe site și deschide chatul de acolo.",
    needsScript: "Acest chat necesită JavaScript. Activează-l și reîncarcă pagina sau contactează-ne altfel.",
  },
  ru: {
    title: "Напишите нам",
    noChat: "По этому адресу чата нет",
    linkGone: "Эта ссылка больше не работает",
    oldLink: "Возможно, ссылка устарела или неполная.",
    goBack: "Вернитесь на сайт и откройте чат там.",
    needsScript:
      "Для этого чата нужен JavaScript. Включите его и перезагрузите страницу или свяжитесь с нами другим способом.",
  },
  sk: {
    title: "Napíšte nám",
    noChat: "Na tejto adrese nie je žiadny chat",
    linkGone: "Tento odkaz už nefunguje",
    oldLink: "Odkaz môže byť starý alebo neúplný.",
    goBack: "Vráťte sa, prosím, na web a otvorte chat tam.",
    needsScript:
      "Tento chat vyžaduje JavaScript. Zapnite ho, prosím, a načítajte stránku znova, alebo nás kontaktujte inak.",
  },
  sl: {
    title: "Pišite nam",
    noChat: "Na tem naslovu ni klepeta",
    linkGone: "Ta povezava ne deluje več",
    oldLink: "Povezava je morda stara ali nepopolna.",
    goBack: "Vrnite se na spletno mesto in klepet odprite tam.",
    needsScript: "Za ta klepet potrebujete JavaScript. Vklopite ga in znova naložite stran ali pa nam pišite drugače.",
  },
  sr: {
    title: "Пишите нам",
    noChat: "На овој адреси нема чета",
    linkGone: "Ова веза више не ради",
    oldLink: "Веза је можда стара или непотпуна.",
    goBack: "Вратите се на сајт и тамо отворите чет.",
    needsScript:
      "За овај чет је потребан JavaScript. Укључите га и поново учитајте страницу или нам се јавите на други начин.",
  },
  "sr-Latn": {
    title: "Pišite nam",
    noChat: "Na ovoj adresi nema četa",
    linkGone: "Ova veza više ne radi",
    oldLink: "Veza je možda stara ili nepotpuna.",
    goBack: "Vratite se na sajt i tamo otvorite čet.",
    needsScript:
      "Za ovaj čet je potreban JavaScript. Uključite ga i ponovo učitajte stranicu ili nam se javite na drugi način.",
  },
  sv: {
    title: "Chatta med oss",
    noChat: "Det finns ingen chatt på den här adressen",
    linkGone: "Länken fungerar inte längre",
    oldLink: "Länken kan vara gammal eller ofullständig.",
    goBack: "Gå tillbaka till webbplatsen och öppna chatten där.",
    needsScript: "Chatten kräver JavaScript. Aktivera det och ladda om sidan, eller kontakta oss på ett annat sätt.",
  },
  sw: {
    title: "Zungumza nasi",
    noChat: "Hakuna gumzo kwenye anwani hii",
    linkGone: "Kiungo hiki hakifanyi kazi tena",
    oldLink: "Huenda kiungo hiki ni cha zamani au hakijakamilika.",
    goBack: "Tafadhali rudi kwenye tovuti ufungue gumzo huko.",
    needsScript:
      "Gumzo hili linahitaji JavaScript. Tafadhali iwashe kisha upakie ukurasa upya, au wasiliana nasi kwa njia nyingine.",
  },
  ta: {
    title: "எங்களுடன் பேசுங்கள்",
    noChat: "இந்த முகவரியில் அரட்டை இல்லை",
    linkGone: "இந்த இணைப்பு இனி வேலை செய்யாது",
    oldLink: "இந்த இணைப்பு பழையதாகவோ முழுமையற்றதாகவோ இருக்கலாம்.",
    goBack: "இணையதளத்திற்குத் திரும்பி அங்கே அரட்டையைத் திறவுங்கள்.",
    needsScript:
      "இந்த அரட்டைக்கு JavaScript தேவை. அதை இயக்கிப் பக்கத்தை மீண்டும் ஏற்றுங்கள், அல்லது வேறு வழியில் எங்களைத் தொடர்புகொள்ளுங்கள்.",
  },
  te: {
    title: "మాతో చాట్ చేయండి",
    noChat: "ఈ చిరునామాలో చాట్ లేదు",
    linkGone: "ఈ లింక్ ఇప్పుడు పనిచేయదు",
    oldLink: "ఈ లింక్ పాతది లేదా అసంపూర్ణమైనది కావచ్చు.",
    goBack: "దయచేసి వెబ్‌సైట్‌కు తిరిగి వెళ్లి అక్కడ చాట్ తెరవండి.",
    needsScript: "ఈ చాట్‌కు JavaScript అవసరం. దయచేసి దాన్ని ఆన్ చేసి పేజీని మళ్లీ లోడ్ చేయండి, లేదా మరో విధంగా మమ్మల్ని సంప్రదించండి.",
  },
  th: {
    title: "แชทกับเรา",
    noChat: "ไม่มีแชทที่ที่อยู่นี้",
    linkGone: "ลิงก์นี้ใช้ไม่ได้แล้ว",
    oldLink: "ลิงก์นี้อาจเก่าหรือไม่ครบถ้วน",
    goBack: "โปรดกลับไปที่เว็บไซต์แล้วเปิดแชทจากที่นั่น",
    needsScript: "แชทนี้ต้องใช้ JavaScript โปรดเปิดใช้แล้วโหลดหน้านี้ใหม่ หรือติดต่อเราด้วยวิธีอื่น",
  },
  tr: {
    title: "Bize yazın",
    noChat: "Bu adreste sohbet yok",
    linkGone: "Bu bağlantı artık çalışmıyor",
    oldLink: "Bağlantı eski veya eksik olabilir.",
    goBack: "Lütfen web sitesine dönüp sohbeti oradan açın.",
    needsScript:
      "Bu sohbet için JavaScript gerekli. Lütfen JavaScript’i açıp sayfayı yenileyin ya da bize başka bir yoldan ulaşın.",
  },
  uk: {
    title: "Напишіть нам",
    noChat: "За цією адресою чату немає",
    linkGone: "Це посилання більше не працює",
    oldLink: "Можливо, посилання застаріле або неповне.",
    goBack: "Поверніться на сайт і відкрийте чат там.",
    needsScript:
      "Для цього чату потрібен JavaScript. Увімкніть його й перезавантажте сторінку або зв’яжіться з нами інакше.",
  },
  ur: {
    title: "ہم سے بات کریں",
    noChat: "اس پتے پر کوئی چیٹ نہیں ہے",
    linkGone: "یہ لنک اب کام نہیں کرتا",
    oldLink: "یہ لنک پرانا یا نامکمل ہو سکتا ہے۔",
    goBack: "براہِ کرم ویب سائٹ پر واپس جا کر وہاں چیٹ کھولیں۔",
    needsScript:
      "اس چیٹ کے لیے JavaScript ضروری ہے۔ براہِ کرم اسے آن کر کے صفحہ دوبارہ لوڈ کریں، یا کسی اور طریقے سے ہم سے رابطہ کریں۔",
  },
  uz: {
    title: "Bizga yozing",
    noChat: "Bu manzilda chat yoʻq",
    linkGone: "Bu havola endi ishlamaydi",
    oldLink: "Havola eski yoki toʻliq emas boʻlishi mumkin.",
    goBack: "Saytga qaytib, chatni oʻsha yerdan oching.",
    needsScript:
      "Bu chat uchun JavaScript kerak. Uni yoqib, sahifani qayta yuklang yoki biz bilan boshqa yoʻl bilan bogʻlaning.",
  },
  vi: {
    title: "Chat với chúng tôi",
    noChat: "Không có khung chat ở địa chỉ này",
    linkGone: "Liên kết này không còn dùng được nữa",
    oldLink: "Liên kết này có thể đã cũ hoặc chưa đầy đủ.",
    goBack: "Vui lòng quay lại trang web và mở khung chat ở đó.",
    needsScript:
      "Khung chat này cần JavaScript. Vui lòng bật lên và tải lại trang, hoặc liên hệ với chúng tôi bằng cách khác.",
  },
  "zh-Hans": {
    title: "联系我们",
    noChat: "此地址没有可用的聊天",
    linkGone: "此链接已失效",
    oldLink: "链接可能已过期或不完整。",
    goBack: "请返回网站，从那里打开聊天。",
    needsScript: "此聊天需要 JavaScript。请启用后刷新页面，或通过其他方式联系我们。",
  },
  "zh-Hant": {
    title: "聯絡我們",
    noChat: "這個網址沒有可用的聊天",
    linkGone: "這個連結已失效",
    oldLink: "連結可能已過期或不完整。",
    goBack: "請返回網站，從那裡開啟聊天。",
    needsScript: "這個聊天需要 JavaScript。請啟用後重新載入頁面，或用其他方式與我們聯絡。",
  },
};
