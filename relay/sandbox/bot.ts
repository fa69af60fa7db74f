import type { Span } from "./option.ts";
import type { Random } from "./random.ts";

/** One message of the bot's answer, sent `afterMs` after the one before. */
export type BotMessage = { text: string; afterMs?: Span };

/** What the bot knows when it answers: the visitor's message, and how many came before it. */
export type BotTurn = { body: string; media: boolean; firstName?: string; turns: number; random: Random };
