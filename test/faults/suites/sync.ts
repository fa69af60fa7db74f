import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FULL, limitFiles } from "../process/limit.ts";
import { openTestbed, type Testbed, until, visit } from "../process/testbed.ts";
import { type Call, callsIn, isFlush, traced, tracing, writesToSocket } from "../process/trace.ts";
import { visitorOf } from "../tab.ts";
import { type Common, type Report, seconds } from "./suite.ts";

const DATABASE = "porchlight.db";
const SPOOL = "replies.spool";

/**
 * S1b: a kill keeps the page cache, so it says nothing about a power cut. This suite traces the system calls: between
 * two consecutive acknowledgements there must be a flush to disk, for messages, for callbacks, and for the spool.
 */
export async function sync({ root, seed = 1, messages = 40 }: Common & { messages?: number }): Promise<Report> {
  const begun = performance.now();
  const trace = join(tmpdir(), `porchlight-trace-${process.pid}-${Math.round(begun)}`);
  const testbed = await openTestbed({
    seed,
    root,
    wrapper: tracing(trace),
    // The service does not answer, so the relay writes no delivery states: each flush belongs to an acknowledgement.
    service: { delayMs: 3_600_000, replies: 0 },
  });
  try {
    await testbed.start();
    const ids = await write(testbed, messages);
    const [stored, spooled] = [await callBack(testbed, messages, "stored"), await spool(testbed, 8)];
    await testbed.kill();
    await until(() => traced(trace));
    const calls = callsIn(trace);
    const sent = unflushed(
      calls,
      ids.map((id) => `"id":"${id}"`),
      DATABASE,
    );
    const answered = answers(calls);
    const violations = [
      ...sent.map((id) => `unsynced: ${id} was acknowledged before it was on the disk`),
      // A reply goes to the spool too when the database takes longer than a second.
      ...unflushedAnswers(calls, answered.slice(0, stored), [DATABASE, SPOOL], "database"),
      ...unflushedAnswers(calls, answered.slice(stored, stored + spooled), [SPOOL], "spool"),
      ...(answered.length < stored + spooled ? ["unsynced: the trace misses answers to callbacks"] : []),
    ];
    return {
      violations,
      figures: {
        "acknowledged messages": messages,
        "answered callbacks": stored,
        "spooled callbacks": spooled,
        "flushes of the database": calls.filter((call) => isFlush(call, DATABASE)).length,
        "flushes of the spool": calls.filter((call) => isFlush(call, SPOOL)).length,
        "acknowledged without a flush": violations.length,
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
    rmSync(trace, { force: true });
  }
}

/** One message after the other: each is acknowledged before the next one is sent. */
async function write(testbed: Testbed, messages: number): Promise<string[]> {
  const [tab] = visit(testbed, "visitor", 1);
  if (tab === undefined) return [];
  const ids = Array.from({ length: messages }, (_, n) => tab.type(`message ${n}`).id);
  if (!(await until(() => tab.unsent() === 0, 60_000))) throw new Error("The messages were not acknowledged");
  return ids;
}

/** Posts one callback after the other. @returns how many were answered 200 */
async function callBack(testbed: Testbed, replies: number, name: string): Promise<number> {
  const [tab] = testbed.tabs;
  const toId = tab === undefined ? "" : visitorOf(tab.person);
  let answered = 0;
  for (let n = 0; n < replies; n++) {
    const body = { toId, messageId: `${name}-${n}`, body: `${name} ${n}` };
    if ((await testbed.mock.post(JSON.stringify(body))) === 200) answered++;
  }
  if (answered < replies) throw new Error(`${replies - answered} callbacks were not answered 200`);
  return answered;
}

/** Posts callbacks while the database cannot be written, so that they are spooled. */
async function spool(testbed: Testbed, replies: number): Promise<number> {
  const { pid = 0 } = testbed.relay()?.child ?? {};
  limitFiles(pid, FULL);
  const answered = await callBack(testbed, replies, "spooled");
  limitFiles(pid, "unlimited");
  return answered;
}

/** The texts that were sent for the first time without a flush since the previous text. */
function unflushed(calls: readonly Call[], words: readonly string[], file: string): string[] {
  let from = 0;
  return words.filter((word) => {
    const at = calls.findIndex((call, i) => i >= from && writesToSocket(call, word));
    const flushed = at >= 0 && calls.slice(from, at).some((call) => isFlush(call, file));
    from = Math.max(from, at);
    return !flushed;
  });
}

/** Indexes in the trace at which a callback was answered 200. */
const answers = (calls: readonly Call[]): number[] =>
  calls.flatMap((call, i) => (writesToSocket(call, '{"success":true}') && writesToSocket(call, "200 OK") ? [i] : []));

/** @param files a flush of any of these makes an answer durable */
function unflushedAnswers(
  calls: readonly Call[],
  places: readonly number[],
  files: readonly string[],
  what: string,
): string[] {
  const isDurable = (call: Call): boolean => files.some((file) => isFlush(call, file));
  return places
    .filter((at, i) => !calls.slice(places[i - 1] ?? 0, at).some(isDurable))
    .map(() => `unsynced: a callback was answered before it was on the disk (${what})`);
}
