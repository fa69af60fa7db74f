/** Each half of a round trip by itself: a message until its acknowledgement, a callback until the visitor sees it. */
import { type Contender, startContender } from "../contender.ts";
import { cpuOf, type Figures, saturate, textOf, warmUp, withTimeout } from "../load.ts";
import { alternate, type Plan, type Row, withContenders } from "../row.ts";
import type { ServerKind } from "../server.ts";

const VISITORS = 200;
const RATE = ["perSecond", "cpu"] as const;
/** Callbacks on their way at once. */
const CALLBACKS = 64;

/** A message until its acknowledgement, while the service refuses all messages. The bare server echoes the frame. */
const acknowledgement = (bytes: number) => async (plan: Plan) =>
  withContenders(
    [
      () => startContender("bare", { visitors: VISITORS }),
      () => startContender("relay", { visitors: VISITORS, refuses: true }),
    ],
    async (contenders) => {
      const round = (contender: Contender, ms: number): Promise<Figures> =>
        saturate(contender, { ms, bytes, wanted: "acknowledged", echo: contender.server.kind === "bare" });
      for (const contender of contenders) await warmUp(plan.warmMs, (ms) => round(contender, ms));
      return alternate(contenders, plan.rounds, (contender) => round(contender, plan.roundMs));
    },
  );

type Receiver = Contender & { ids: string[] };

/** Starts a contender and learns the ids of its visitors from the messages that reach the service. */
async function receiver(kind: ServerKind, keep: boolean): Promise<Receiver> {
  const contender = await startContender(kind, { visitors: CALLBACKS, silent: true });
  const texts = contender.visitors.map((visitor) => {
    const text = textOf(22);
    visitor.send(text);
    return text;
  });
  const { senders } = contender.service;
  const end = performance.now() + 30_000;
  while (texts.some((text) => !senders.has(text))) {
    if (performance.now() > end) throw new Error("The visitors' messages did not reach the service");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  contender.service.callTo(contender.server.port, contender.server.callbacks, keep);
  return Object.assign(contender, { ids: texts.map((text) => senders.get(text) ?? "") });
}

/** Posts callbacks for `ms`, one at a time for each visitor: each until it was answered and the visitor received it. */
async function post(contender: Receiver, ms: number, bytes: number): Promise<Figures> {
  let count = 0;
  let seconds = 0;
  const cpu = await cpuOf(contender, async () => {
    const begin = performance.now();
    const shown = new Map<string, () => void>();
    contender.onMessage = (_, what, text) => {
      if (what === "reply") shown.get(text)?.();
    };
    async function one(id: string): Promise<void> {
      while (performance.now() < begin + ms) {
        const text = textOf(bytes);
        await Promise.all([
          new Promise<void>((resolve) => shown.set(text, resolve)),
          contender.service.reply(id, text),
        ]);
        shown.delete(text);
        count++;
      }
    }
    await withTimeout(Promise.all(contender.ids.map(one)), ms, contender.name);
    seconds = (performance.now() - begin) / 1_000;
  });
  return { perSecond: count / seconds, cpu: cpu / count };
}

const callback = (keep: boolean) => async (plan: Plan) =>
  withContenders(
    (["bare", "naive", "relay"] as const).map((kind) => () => receiver(kind, keep)),
    async (contenders) => {
      const receivers = contenders as Receiver[];
      for (const each of receivers) await warmUp(plan.warmMs, (ms) => post(each, ms, 22));
      return alternate(receivers, plan.rounds, (each) => post(each, plan.roundMs, 22));
    },
  );

export const HALVES: readonly Row[] = [
  {
    name: "acknowledged",
    title: "Message until its acknowledgement",
    shown: RATE,
    quick: true,
    measure: acknowledgement(22),
  },
  {
    name: "acknowledged-400",
    title: "Message until its acknowledgement, 400 bytes",
    shown: RATE,
    quick: false,
    measure: acknowledgement(400),
  },
  { name: "callback", title: "Callback until the visitor sees it", shown: RATE, quick: true, measure: callback(true) },
  {
    name: "callback-closed",
    title: "Callback until the visitor sees it, connections closed",
    shown: RATE,
    quick: false,
    measure: callback(false),
  },
];
