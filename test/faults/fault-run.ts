/**
 * A fault run: many visitors write while the relay is killed several times and the service fails at random. Afterwards,
 * each acknowledged message must be at the service once and in order, and each reply that was answered 200 must be in its
 * visitor's thread once and in order.
 */

import { randomId } from "../../shared/id.ts";
import { type BothFlaws, bothFlaws, flawsOf } from "../flaws.ts";
import { type Harness, startHarness } from "../harness.ts";
import { runProcess } from "../relays.ts";
import type { Visitor } from "../visitor.ts";
import { type Report, seconds } from "./suites/suite.ts";

export type FaultRun = { visitors: number; messages: number; kills: number; seed: number };

/** Counts over all visitors. */
export type Figures = BothFlaws & { acknowledged: number; replies: number; kills: number; seconds: number };

const FAULTS = [
  { route: "incoming", kind: "status", status: 503, rate: 0.08, when: "before" },
  { route: "incoming", kind: "status", status: 500, rate: 0.08, when: "after" },
  { route: "incoming", kind: "resetConnection", rate: 0.04, when: "after" },
] as const;

/** A visitor, and the texts that the relay acknowledged, in typing order. */
type Writer = { visitor: Visitor; acknowledged: string[] };

/** Makes one fault run. @param run.kills kills of the relay, spread over the acknowledged messages */
export async function faultRun({ visitors, messages, kills, seed }: FaultRun): Promise<Figures> {
  const began = performance.now();
  const harness = await startHarness({
    run: runProcess,
    env: { MESSAGES_PER_MINUTE: "0" },
    sandbox: { seed, errorRate: FAULTS },
  });
  try {
    const writers: Writer[] = Array.from({ length: visitors }, () => ({
      visitor: harness.visitor(),
      acknowledged: [],
    }));
    const total = visitors * messages;
    const killer = createKiller(harness, kills, total);
    await Promise.all(writers.map((writer, index) => write(writer, index, messages, killer)));
    harness.sandbox.configure({ errorRate: [] });
    await harness.sandbox.until((sandbox) => new Set(sandbox.messages().map(({ body }) => body)).size === total);
    await harness.sandbox.until(
      (sandbox) => sandbox.outgoing().filter(({ status }) => status !== null).length >= total,
    );
    const figures = await Promise.all(writers.map((writer) => count(harness, writer)));
    return { ...sum(figures), kills, seconds: (performance.now() - began) / 1000 };
  } finally {
    await harness.stop();
  }
}

/** Makes fault runs with different seeds for this many minutes, and sums up their figures. */
export async function randomFaults({
  seed,
  minutes,
  progress,
}: {
  seed: number;
  minutes: number;
  progress: (words: string) => void;
}): Promise<Report> {
  const begun = performance.now();
  const violations: string[] = [];
  const figures = { runs: 0, kills: 0, messages: 0, replies: 0, lost: 0, doubled: 0, disordered: 0 };
  do {
    const one = await faultRun({ visitors: 20, messages: 20, kills: 6, seed: seed + figures.runs });
    const { lost, doubled, misordered, repliesLost, repliesDoubled, repliesMisordered } = one;
    if (lost + doubled + misordered + repliesLost + repliesDoubled + repliesMisordered > 0)
      violations.push(`fault run: seed ${seed + figures.runs}: ${JSON.stringify(one)}`);
    figures.runs += 1;
    figures.kills += one.kills;
    figures.messages += one.acknowledged;
    figures.replies += one.replies;
    figures.lost += lost + repliesLost;
    figures.doubled += doubled + repliesDoubled;
    figures.disordered += misordered + repliesMisordered;
    progress(`${figures.runs} runs, ${figures.messages} messages, ${figures.replies} replies`);
  } while (performance.now() < begun + minutes * 60_000);
  return { violations, figures: { ...figures, seconds: seconds(begun) } };
}

type Killer = { acknowledged: () => void; up: () => Promise<void> };

/** Kills the relay at even shares of the acknowledged messages, and starts it again. */
function createKiller(harness: Harness, kills: number, total: number): Killer {
  let seen = 0;
  let done = 0;
  let up = Promise.resolve();
  return {
    up: () => up,
    acknowledged() {
      seen += 1;
      if (done === kills || seen < ((done + 1) * total) / (kills + 1)) return;
      done += 1;
      up = up.then(harness.kill).then(() => harness.start());
    },
  };
}

/**
 * Writes one text after another. Repeats each under the same id, after reconnecting if necessary, until the relay acknowledges
 * it.
 */
async function write({ visitor, acknowledged }: Writer, who: number, messages: number, killer: Killer): Promise<void> {
  let connected = false;
  for (let n = 0; n < messages; n += 1) {
    const [id, text] = [randomId(), `visitor ${who} message ${n}`];
    for (let written = false; !written; ) {
      try {
        await killer.up();
        if (!connected) await visitor.connect();
        connected = true;
        await visitor.send(text, id);
        written = true;
      } catch {
        connected = false;
      }
    }
    acknowledged.push(text);
    killer.acknowledged();
  }
}

type Counted = Omit<Figures, "kills" | "seconds">;

/** Compares one visitor's messages with what the service has, and the replies with what the thread shows. */
async function count({ sandbox }: Harness, { visitor, acknowledged }: Writer): Promise<Counted> {
  await visitor.drop();
  await visitor.connect();
  const { fromId = "" } = sandbox.messages().find(({ body }) => body === acknowledged[0]) ?? {};
  const received = sandbox.messages(fromId).map(({ body }) => body);
  const sent = sandbox.outgoing(fromId).flatMap(({ status, body }) => (status === "Sent" ? [body] : []));
  const last = sent.at(-1);
  if (last !== undefined) await visitor.receives(last);
  const shown = visitor.log().flatMap(({ from, text }) => (from === "reply" ? [text] : []));
  return {
    acknowledged: acknowledged.length,
    replies: sent.length,
    ...bothFlaws(flawsOf(acknowledged, received), flawsOf(sent, shown)),
  };
}

function sum(all: Counted[]): Counted {
  const add = (name: keyof Counted): number => all.reduce((total, figures) => total + figures[name], 0);
  return {
    acknowledged: add("acknowledged"),
    lost: add("lost"),
    doubled: add("doubled"),
    misordered: add("misordered"),
    replies: add("replies"),
    repliesLost: add("repliesLost"),
    repliesDoubled: add("repliesDoubled"),
    repliesMisordered: add("repliesMisordered"),
  };
}
