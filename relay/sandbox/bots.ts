/**
 * The scripts of the AI bot. A script is a name from `BOTS`, or rules: the first rule whose `match` is in the
 * visitor's text gives the parts; a rule without `match` always matches. Each part waits `afterMs` after the one before.
 * `match` is a case-insensitive piece of text, or a pattern between slashes: `/hours?|open/`. `{body}` in a part's
 * text is replaced by the visitor's message.
 */

import { isFields } from "@porchlight/shared/json-fields";
import type { BotMessage, BotTurn } from "./bot.ts";
import { answerQuestion } from "./faq.ts";
import { isSpan } from "./option.ts";

export type Rule = { match?: string; parts: readonly BotMessage[] };
export type BotScript = BotName | readonly Rule[];

type Bot = (turn: BotTurn) => readonly BotMessage[];

const HOUR = 3_600_000;

const MARKDOWN = `**Here is what I found:**

1. *Standard* delivery, 2 to 4 days
2. *Express* delivery, next working day

- free from 60 euros
- tracked from our door to yours

Use the code \`WELCOME10\` or read [our delivery page](https://shop.example/delivery).

\`\`\`
order 1042: on its way
\`\`\``;

const HTML = `<b>Bold</b> <img src=x onerror="alert('reply')"><script>alert("reply")</script><a href="javascript:alert(1)">here</a> &amp; &lt;done&gt;`;

const LINKS = [
  "Our delivery page: https://shop.example/delivery?from=chat&lang=en#costs",
  "Also (https://shop.example/returns), or www.shop.example.",
  "Write to hello@shop.example or call +47 21 00 00 00.",
  "Never follow javascript:alert(1) or data:text/html,<script>alert(1)</script>.",
].join("\n");

const RTL = "שלום! ההזמנה שלך בדרך אליך. مرحبا، طلبك رقم 1042 في الطريق إليك (DHL). Thank you!";

const LONG_ANSWER = "This is a long answer, and it keeps going so that you can see how the thread copes with it. ";

/** The built-in scripts. */
export const BOTS = {
  /** Repeats the text: `echo: <text>`. */
  echo: ({ body }) => [{ text: `echo: ${body}` }],
  /** Five short messages. */
  burst: ({ body }) => [1, 2, 3, 4, 5].map((n) => ({ text: `${n}/5 ${body}`, afterMs: n === 1 ? 0 : 20 })),
  silent: () => [],
  /** One answer, after 25 to 40 seconds. */
  slow: ({ body }) => [{ text: `slow: ${body}`, afterMs: { min: 25_000, max: 40_000 } }],
  markdown: () => [{ text: MARKDOWN }],
  html: () => [{ text: HTML }],
  /** 10,000 characters. */
  long: () => [{ text: LONG_ANSWER.repeat(Math.ceil(10_000 / LONG_ANSWER.length)).slice(0, 10_000) }],
  rtl: () => [{ text: RTL }],
  links: () => [{ text: LINKS }],
  empty: () => [{ text: "" }],
  /** An answer now, one an hour later, one two days later. */
  followUps: ({ body }) => [
    { text: `echo: ${body}` },
    { text: "Just checking in: did that answer your question?", afterMs: HOUR },
    { text: "Your basket is still here whenever you are ready.", afterMs: 47 * HOUR },
  ],
  /** The shop assistant of the demo. */
  faq: answerQuestion,
} as const satisfies Record<string, Bot>;

export type BotName = keyof typeof BOTS;

const isBotName = (value: unknown): value is BotName => typeof value === "string" && Object.hasOwn(BOTS, value);

const isPart = (value: unknown): value is BotMessage =>
  isFields(value) && typeof value.text === "string" && (value.afterMs === undefined || isSpan(value.afterMs));

const isRule = (value: unknown): value is Rule =>
  isFields(value) &&
  Array.isArray(value.parts) &&
  value.parts.every(isPart) &&
  (value.match === undefined || (typeof value.match === "string" && matcher(value.match) !== undefined));

/** Whether a value from outside is the name of a built-in script, or a list of rules whose patterns are valid. */
export const isScript = (value: unknown): value is BotScript =>
  isBotName(value) || (Array.isArray(value) && value.every(isRule));

/** The test for a rule's `match`; `undefined` when its pattern is invalid. */
function matcher(match: string): ((body: string) => boolean) | undefined {
  const pattern = /^\/(.+)\/$/s.exec(match)?.[1];
  if (pattern === undefined) return (body) => body.toLowerCase().includes(match.toLowerCase());
  try {
    const expression = new RegExp(pattern, "iu");
    return (body) => expression.test(body);
  } catch {
    return undefined;
  }
}

/** The bot's answer; empty when no rule matches. */
export function botTurn(script: BotScript, turn: BotTurn): readonly BotMessage[] {
  if (typeof script === "string") return BOTS[script](turn);
  const rule = script.find((each) => each.match === undefined || matcher(each.match)?.(turn.body));
  return (rule?.parts ?? []).map((part) => ({ ...part, text: part.text.replaceAll("{body}", () => turn.body) }));
}
