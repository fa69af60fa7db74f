/** Visitors who write during a failure, and the number of lost, duplicated and reordered messages. */

import { randomId } from "../../shared/id.ts";
import { type BothFlaws, bothFlaws, flawsOf } from "../flaws.ts";
import type { Visitor } from "../visitor.ts";
import type { Cluster } from "./cluster.ts";

export type Figures = BothFlaws & { acknowledged: number };

type Plan = {
  visitors: number;
  messages: number;
  /** The node to which a visitor connects. */
  nodeOf: (visitor: number) => number;
  /** Called once, when half of all messages are acknowledged. */
  halfway?: () => Promise<void>;
};

/** A cluster or a single relay. */
type Target = Pick<Cluster, "sandbox" | "visitor">;

/** Each visitor writes its messages one after another. Resolves when the service has all of them and every reply is shown. */
export async function traffic(cluster: Target, { visitors, messages, nodeOf, halfway }: Plan): Promise<Figures> {
  const { sandbox } = cluster;
  const run = randomId(6);
  const total = visitors * messages;
  let acknowledged = 0;
  let halfwayDone: Promise<void> | undefined;
  const people = Array.from({ length: visitors }, (_, who) => ({ who, visitor: cluster.visitor(nodeOf(who)) }));
  await Promise.all(
    people.map(async ({ who, visitor }) => {
      const writer = createWriter(visitor);
      for (let n = 0; n < messages; n++) {
        await writer.write(textOf(run, who, n));
        acknowledged++;
        if (acknowledged * 2 >= total) halfwayDone ??= halfway?.();
      }
    }),
  );
  await halfwayDone;
  const ours = ({ body }: { body: string }): boolean => body.startsWith(`${run} `);
  await sandbox.until(
    () =>
      new Set(
        sandbox
          .messages()
          .filter(ours)
          .map(({ body }) => body),
      ).size === total,
  );
  const figures = await Promise.all(people.map(({ who, visitor }) => count(cluster, visitor, run, who, messages)));
  return figures.reduce(sum);
}

const textOf = (run: string, who: number, n: number): string =>
  `${run} visitor ${who} message ${String(n).padStart(4, "0")}`;

/** A connection that sends a text again, after reconnecting if necessary, until the relay acknowledges it. */
function createWriter(visitor: Visitor) {
  let connected = false;
  return {
    async write(text: string): Promise<void> {
      const id = randomId();
      for (;;) {
        try {
          if (!connected) await visitor.connect();
          connected = true;
          return void (await visitor.send(text, id));
        } catch {
          connected = false;
          await visitor.drop().catch(() => {});
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    },
  };
}

/** Compares a visitor's messages with those the service received, and the service's replies with those the visitor sees. */
async function count(
  { sandbox }: Target,
  visitor: Visitor,
  run: string,
  who: number,
  messages: number,
): Promise<Figures> {
  const sent = Array.from({ length: messages }, (_, n) => textOf(run, who, n));
  const { fromId = "" } = sandbox.messages().find(({ body }) => body === sent[0]) ?? {};
  const received = sandbox.messages(fromId).map(({ body }) => body);
  await visitor.drop();
  await visitor.connect();
  const expected = sent.map((text) => `echo: ${text}`);
  await Promise.all(expected.map((text) => visitor.receives(text)));
  const shown = visitor.log().flatMap(({ from, text }) => (from === "reply" ? [text] : []));
  return { acknowledged: sent.length, ...bothFlaws(flawsOf(sent, received), flawsOf(expected, shown)) };
}

const sum = (a: Figures, b: Figures): Figures =>
  Object.fromEntries(Object.entries(a).map(([name, value]) => [name, value + b[name as keyof Figures]])) as Figures;
