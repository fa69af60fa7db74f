/** The demo's shop assistant: short, natural answers about delivery, returns, hours, sizes and the like. */

import type { BotMessage, BotTurn } from "./bot.ts";

type Topic = { asks: RegExp; says: readonly (readonly string[])[] };

const COUNTRIES: readonly [RegExp, string, string][] = [
  [
    /\bnorway|norge|norwegian|oslo|bergen\b/i,
    "Norway",
    "3 to 5 working days, 6.90 euros, and VAT is already paid, so nothing is due at the door",
  ],
  [/\bsweden|sverige|stockholm\b/i, "Sweden", "2 to 4 working days and 4.90 euros"],
  [/\bdenmark|danmark|copenhagen\b/i, "Denmark", "2 to 4 working days and 4.90 euros"],
  [/\bgermany|deutschland|berlin\b/i, "Germany", "2 to 3 working days and 3.90 euros"],
  [
    /\b(uk|united kingdom|england|scotland|wales|britain|london)\b/i,
    "the United Kingdom",
    "4 to 6 working days and 7.90 euros, duties included",
  ],
  [/\b(usa|united states|america|new york|california)\b/i, "the United States", "6 to 9 working days and 14 euros"],
  [
    /\bfrance|spain|italy|netherlands|belgium|austria|finland|poland|portugal|ireland\b/i,
    "anywhere in the EU",
    "3 to 5 working days and 4.90 euros",
  ],
];

/** Specific topics come first: "return my order" is about returns, not about where an order is. */
const TOPICS: readonly Topic[] = [
  {
    asks: /\b(human|person|agent|someone real|real someone|speak to|talk to|call me|phone)\b/i,
    says: [
      [
        "Of course. I've let the team know, and a colleague will join you right here.",
        "If you have to leave, no problem: the answer will be waiting in this chat when you're back.",
      ],
    ],
  },
  {
    asks: /\b(return|refund|exchange|send (it|them|this) back|money back|changed my mind)/i,
    says: [
      [
        "You have 30 days to send anything back, as long as it hasn't been worn outside.",
        "There's a prepaid label in the parcel. Drop it at any pick-up point, and the refund reaches you within 5 days of it arriving here.",
      ],
    ],
  },
  {
    asks: /\b(where|track|status|late|arrive|arrived|missing)\b.*\b(order|parcel|package|delivery)\b|\b(order|parcel|package)\b.*\b(where|track|late|status|arrived?|missing)\b|\btracking\b/i,
    says: [
      [
        "Let me help you find it. The tracking link is in the email we sent when your parcel left us.",
        "If it has been quiet for more than two days, tell me the order number and we'll chase the carrier for you.",
      ],
    ],
  },
  {
    asks: /\b(ship|shipping|deliver|delivery|post(age)?|courier|express|pick.?up)/i,
    says: [
      [
        "Orders placed before 2 pm leave the same day, and most arrive within 2 to 4 working days.",
        "Delivery is free from 60 euros. Below that it's 3.90 to 6.90, depending on the country. Where should it go?",
      ],
    ],
  },
  {
    asks: /\b(open|opening|hours?|close[ds]?|closing|sunday|saturday|weekend|today|when can i (visit|come))\b/i,
    says: [
      [
        "The shop is open Monday to Friday from 10 to 18 and Saturday from 10 to 16. We're closed on Sundays.",
        "This chat never closes, though.",
      ],
    ],
  },
  {
    asks: /\b(size|sizes|sizing|fit|fits|small|large|medium|measure|tall|cm|inch)/i,
    says: [
      [
        "Most people are happy with their usual size. If you're between two, take the larger one: it leaves room for a layer underneath.",
        "Exchanging for another size is free, so you can't really go wrong.",
      ],
    ],
  },
  {
    asks: /\b(pay|payment|card|paypal|klarna|invoice|apple pay|vipps|instal?ments?)\b/i,
    says: [["You can pay by card, PayPal, Apple Pay, Vipps or invoice. We charge you only when the parcel leaves us."]],
  },
  {
    asks: /\b(discount|coupon|voucher|promo|code|sale|cheaper|gift card)/i,
    says: [
      [
        "With WELCOME10 you get 10 % off your first order. Just enter it at the checkout.",
        "Gift cards are there too, from 20 euros, and they arrive by email within minutes.",
      ],
    ],
  },
  {
    asks: /\b(price|prices|cost|costs|how much|expensive)\b/i,
    says: [["The price on each product page includes VAT. Which one are you looking at? Then I can tell you more."]],
  },
  {
    asks: /\b(stock|available|availability|sold out|restock|back in)\b/i,
    says: [
      [
        "Whatever you can put in the basket is in stock. Sold-out sizes usually come back within three weeks. Shall I note which one you'd like?",
      ],
    ],
  },
  {
    asks: /\b(material|wool|cotton|linen|leather|wash|washing|care|sustainab|organic|vegan|made)\b/i,
    says: [
      [
        "Everything is made in small batches from organic cotton, linen or merino. Wash it cold, hang it up to dry, and it'll stay with you for years.",
      ],
    ],
  },
  {
    asks: /\b(where are you|address|location|located|store|visit|directions)\b/i,
    says: [["You'll find us at 12 Harbour Street, two minutes from the central station. Look for the yellow door."]],
  },
  {
    asks: /\b(are you (a )?(bot|robot|human|real|ai)|who are you|your name)\b/i,
    says: [
      [
        "I'm the shop's AI assistant. I know about delivery, returns, sizes and opening hours, and I can fetch a colleague for everything else.",
      ],
    ],
  },
  {
    asks: /\b(thanks?|thank you|thx|great|perfect|awesome|lovely|takk|tack|merci|danke)\b/i,
    says: [
      ["You're very welcome! Anything else I can do for you?"],
      ["My pleasure. I'm here if something else comes up."],
    ],
  },
  { asks: /\b(bye|goodbye|see you|good night)\b/i, says: [["Goodbye, and thanks for stopping by!"]] },
  {
    asks: /^\W*(hi|hello|hey|hei|hej|hallo|good (morning|afternoon|evening)|moin|yo)\b/i,
    says: [
      ["Hello{name}! Good to see you. What can I help you with?"],
      ["Hi{name}! Ask me about delivery, returns, sizes or opening hours."],
    ],
  },
];

const FALLBACK = [
  ["I'm not sure I understood that. I can tell you about delivery, returns, sizes, payment and opening hours."],
  ["That one is beyond me, I'm afraid. I've passed it on, and a colleague will answer here."],
] as const;

const FILE = [
  ["Thank you, it has arrived. What would you like to know about it?"],
  ["I have the file, thanks. A colleague will have a look, too."],
] as const;

function sentences({ body, media, turns }: BotTurn): readonly string[] {
  const country = COUNTRIES.find(([asks]) => asks.test(body));
  const topic = TOPICS.find(({ asks }) => asks.test(body));
  if (country !== undefined && (topic === undefined || topic.asks.test("ship"))) {
    const [, name, terms] = country;
    return [`Yes, we ship to ${name}: ${terms}.`, "From 60 euros, delivery is on us."];
  }
  if (topic !== undefined) return topic.says[turns % topic.says.length] ?? [];
  const otherwise = media ? FILE : FALLBACK;
  return otherwise[turns % otherwise.length] ?? otherwise[0];
}

/** The assistant's messages: the first after about a second, each other one after a typing pause. */
export function answerQuestion(turn: BotTurn): readonly BotMessage[] {
  const name = turn.firstName === undefined ? "" : `, ${turn.firstName}`;
  return sentences(turn).map((text, index) => ({
    text: text.replace("{name}", () => name),
    afterMs: index === 0 ? { min: 700, max: 1_200 } : { min: 900, max: 1_600 },
  }));
}
