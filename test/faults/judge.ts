import type { Message } from "@porchlight/shared/protocol";
import type { Tab } from "./tab.ts";

/** A message that was new to the service. Times in milliseconds of the run's own clock. */
export type Effect = { sid: string; fromId: string; text: string; at: number };
/** A reply that the service tried to deliver. */
export type Posted = {
  toId: string;
  messageId: string | undefined;
  text: string;
  forged: boolean;
  /** When the first attempt began, and when an attempt was answered with 200. */
  begun: number;
  taken: number | undefined;
  /** Status of the first attempt that was answered, or the 200 of a later one. */
  status: number | undefined;
};
export type Row = { visitor: string; pos: number; id: string; author: string; text: string; state: string | null };

/** Everything that was observed from outside, and the database at the end. Nothing else is checked. */
export type Evidence = {
  tabs: readonly Tab[];
  effects: readonly Effect[];
  posted: readonly Posted[];
  rows: readonly Row[];
  /** Newest number of each visitor's thread, and the newest number of their messages. */
  heads: readonly { id: string; head: number; newest: number }[];
  /** No message was pending at the end. */
  settled: boolean;
  now: number;
  /** Milliseconds by which the wall clock was moved during the run. */
  jump: number;
  /** A backup was restored during the run. */
  restored: boolean;
  /** There was a time when neither the database nor the spool accepted writes. */
  unwritable: boolean;
};

export const THREADS = "SELECT visitor, pos, id, author, text, state FROM messages ORDER BY visitor, pos";
export const HEADS = `SELECT v.id, v.head, max(m.n) AS newest FROM visitors v JOIN messages m ON m.visitor = v.id
  GROUP BY v.id, v.head`;

const HORIZON = 12 * 3_600_000;
/** The relay looks for messages past their horizon this often, and a tab learns of it after that. */
const NOTICE = 90_000;
/** For this long (ms), another process recognises a repeated reply that has no message id. */
const REPEAT = 2_000;

/** Returns all violations, one line each, which begins with its kind. */
export function judge(evidence: Evidence): string[] {
  return [
    ...(evidence.settled ? [] : ["unsettled: messages were still pending after the failures had ended"]),
    ...evidence.tabs.flatMap((tab) => tab.violations),
    ...sent(evidence),
    ...failures(evidence),
    // A message that was repeated after a restored backup keeps its old place at the service.
    ...(evidence.restored ? [] : order(evidence)),
    ...(evidence.settled ? [...threads(evidence), ...undecided(evidence)] : []),
    ...replies(evidence),
    ...numbers(evidence),
  ];
}

const isFailed = (message: Message | undefined): boolean => message?.from === "visitor" && message.state === "failed";

/** Acknowledged messages are at the service once, or visibly failed. */
function sent({ tabs, effects, restored, settled }: Evidence): string[] {
  const times = new Map<string, number>();
  for (const { text } of effects) times.set(text, (times.get(text) ?? 0) + 1);
  const wrong: string[] = [];
  for (const [text, count] of times) if (count > 1) wrong.push(`doubled: "${text}" reached the service ${count} times`);
  for (const tab of tabs) {
    for (const { id, text } of tab.typed) {
      if (!tab.acked.has(id)) continue;
      const message = tab.seen.get(id);
      // A message from after the backup is lost with the old disk.
      if (message === undefined && restored) continue;
      if (!times.has(text) && !isFailed(message) && settled)
        wrong.push(`lost: "${text}" was acknowledged and never reached the service`);
      if (message?.from === "visitor" && message.state === "delivered" && !times.has(text))
        wrong.push(`untrue: "${text}" is shown as delivered, but is not`);
    }
  }
  return wrong;
}

/** Nothing fails without a reason, and nothing stays undecided beyond its horizon. */
function failures({ tabs, effects, jump, settled, now }: Evidence): string[] {
  const wrong: string[] = [];
  const processed = new Map(effects.map(({ text, at }) => [text, at]));
  for (const tab of tabs) {
    for (const { id, text, at } of tab.typed) {
      const failed = tab.failed.get(id) ?? [];
      if (failed.some(({ reason }) => reason === "rejected") && !text.includes("poison"))
        wrong.push(`"${text}" is shown as refused, but the service did not refuse it`);
      const early = failed.find((failure) => failure.reason === "expired" && failure.at - at < HORIZON);
      if (early !== undefined && jump <= 0) wrong.push(`"${text}" was given up ${early.at - at} ms after it was typed`);
      if (text.includes("poison") && settled && tab.seen.has(id) && failed.length === 0)
        wrong.push(`"${text}" was refused, but is not shown as failed`);
      const latest = (tab.acked.get(id) ?? Number.POSITIVE_INFINITY) + HORIZON + NOTICE;
      const late = (processed.get(text) ?? now) > latest;
      if (late && jump === 0 && (failed[0]?.at ?? Number.POSITIVE_INFINITY) > latest)
        wrong.push(`"${text}" waited longer than its horizon, but is not shown as failed`);
    }
  }
  return wrong;
}

/** Messages that never failed reach the service in the order of their thread. */
function order({ tabs, effects, rows }: Evidence): string[] {
  const wrong: string[] = [];
  const place = new Map(effects.map(({ text }, i) => [text, i]));
  const failed = new Set(tabs.flatMap((tab) => [...tab.failed.keys()]));
  const last = new Map<string, number>();
  for (const { visitor, id, author, text } of rows) {
    const at = place.get(text);
    if (author !== "visitor" || failed.has(id) || at === undefined) continue;
    if (at < (last.get(visitor) ?? -1)) wrong.push(`order: "${text}" was overtaken`);
    last.set(visitor, at);
  }
  return wrong;
}

/** When nothing waits any more, every message has arrived or failed. */
const undecided = ({ rows }: Evidence): string[] =>
  rows
    .filter(({ author, state }) => author === "visitor" && state !== "delivered" && state !== "failed")
    .map(({ text, state }) => `undecided: "${text}" remains ${state}`);

/** Every tab shows the whole thread as the database has it. */
function threads({ tabs, rows }: Evidence): string[] {
  const wrong: string[] = [];
  const known = Map.groupBy(rows, ({ visitor }) => visitor);
  const stored = new Set(
    [...known.values()].map((thread) =>
      JSON.stringify(thread.map(({ pos, id, author, text, state }) => [pos, id, author, text, state])),
    ),
  );
  for (const tab of tabs) {
    const shown = tab
      .thread()
      .map((message) => [message.pos, message.id, message.from, message.text, stateOf(message)] as const);
    const owed = tabs.some((other) => other.person === tab.person && other.seen.size > 0);
    if (shown.length === 0 ? owed : !stored.has(JSON.stringify(shown)))
      wrong.push(`thread: ${tab.name} shows a thread of ${shown.length} messages that is not the stored one`);
  }
  return wrong;
}

const stateOf = (message: Message): string | null => (message.from === "visitor" ? message.state : null);

/** Replies that were answered 200 are in their thread once, in order; nothing else is. */
function replies({ posted: all, rows, settled, restored, unwritable }: Evidence): string[] {
  const wrong: string[] = [];
  const alive = new Set(rows.map(({ visitor }) => visitor));
  const places = new Map<string, number>();
  const posted = new Set(all.filter(({ forged }) => !forged).map(({ text }) => text));
  const mayRepeat = new Set(all.filter(isUnrecognised).map(({ text }) => text));
  for (const { author, text, pos } of rows) {
    if (author !== "reply") continue;
    if (places.has(text) && !mayRepeat.has(text)) wrong.push(`doubled: "${text}" is twice in its thread`);
    if (!posted.has(text)) wrong.push(`forged: "${text}" was never sent to this visitor`);
    places.set(text, pos);
  }
  for (const { text, toId, status, forged } of all) {
    if (status !== undefined && status >= 500 && !unwritable) wrong.push(`a callback was answered ${status}`);
    if (forged && status === 200) wrong.push(`forged: a reply to an invalid id was answered 200`);
    if (forged || !alive.has(toId) || restored) continue;
    if (status === 404) wrong.push(`refused: "${text}" was for an existing visitor`);
    if (status === 200 && settled && !places.has(text))
      wrong.push(`lost: "${text}" was answered 200, but is in no thread`);
  }
  if (!restored) {
    const threads = Map.groupBy(all, ({ toId }) => toId);
    for (const thread of threads.values()) wrong.push(...arrival(thread, places));
  }
  return wrong;
}

/** Whether a reply has no message id, and another process may have got it again so late that nothing shows the repeat. */
const isUnrecognised = ({ messageId, begun, taken = Number.POSITIVE_INFINITY }: Posted): boolean =>
  messageId === undefined && taken - begun >= REPEAT;

/** A reply that was answered before another one was begun comes before it. */
function arrival(all: readonly Posted[], places: Map<string, number>): string[] {
  const taken = all.filter((post) => post.taken !== undefined).sort((a, b) => (a.taken ?? 0) - (b.taken ?? 0));
  const begun = all.toSorted((a, b) => a.begun - b.begun);
  const wrong: string[] = [];
  let highest = 0;
  let i = 0;
  for (const post of begun) {
    for (let done = taken[i]; done !== undefined && (done.taken ?? 0) < post.begun; done = taken[++i])
      highest = Math.max(highest, places.get(done.text) ?? 0);
    if ((places.get(post.text) ?? Number.POSITIVE_INFINITY) < highest)
      wrong.push(`order: "${post.text}" overtook a reply that was answered before`);
  }
  return wrong;
}

/** The newest number of a thread is the newest number of its visitor. */
const numbers = ({ heads }: Evidence): string[] =>
  heads
    .filter(({ head, newest }) => head !== newest)
    .map(({ id, head, newest }) => `numbers: ${id} has head ${head} and newest ${newest}`);
