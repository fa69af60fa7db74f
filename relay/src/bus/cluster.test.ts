import type { ErrorFrame } from "@porchlight/shared/protocol";
import { expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { createLimiter } from "../base/limiter.ts";
import { createBus, type News } from "./bus.ts";
import { createClusterBus } from "./cluster.ts";

const RATING = { score: 2, of: 5, comment: "Nobody answered." } as const;
const noRating = async () => undefined;

/** One node, and the link over which the test sends it texts. Records the news of the visitor `v`, and all hints about lanes. */
function node() {
  const received: unknown[] = [];
  let deliver = (_text: string): void => {};
  const sent: string[] = [];
  const link = {
    send: (text: string) => void sent.push(text),
    onText(listener: (text: string) => void) {
      deliver = listener;
    },
    close: async () => {},
  };
  const clock = manualClock();
  const threads = new Map<string, { head: number; read: number }>();
  const heads = async () => threads;
  const refused: { visitor: string; at: number; error: ErrorFrame }[] = [];
  const refusals = async (isHere: (visitor: string) => boolean) => refused.filter(({ visitor }) => isHere(visitor));
  const onError = (error: unknown): void => void received.push(error);
  const rating = async (visitor: string) => (visitor === "v" ? RATING : undefined);
  const bus = createClusterBus({ local: createBus(), link, node: "one", clock, heads, refusals, rating, onError });
  bus.subscribe("v", (news: News) => void received.push(news));
  bus.onLaneHint((hint) => void received.push(hint));
  const limit = bus.share("messages", createLimiter({ burst: 1, perMinute: 1, uptime: clock.uptime }));
  return { received, limit, sent, deliver: (text: string) => deliver(text), clock, threads, refused, bus };
}

it("ignores texts that no node of a relay sent, because other programs may use the same Redis or database", () => {
  const { deliver, received, limit } = node();
  const parts = [
    ...[
      '{"from":"two","news":5}',
      '{"from":"two","news":[null]}',
      '{"from":"two","news":[{"visitor":"v"}]}',
      '{"from":"two","news":[{"visitor":"v","head":"9"}]}',
    ],
    ...[
      '{"from":"two","news":[{"visitor":"v","head":1e308}]}',
      '{"from":"two","nudges":{}}',
      '{"from":"two","nudges":[{"visitor":"v"}]}',
      '{"from":"two","spent":[[1]]}',
    ],
    ...[
      '{"from":"two","spent":[["messages","w",-1000]]}',
      '{"from":"two","spent":[7]}',
      '{"from":"two","spent":[["messages","w","1"]]}',
      '{"spent":[["messages","w",1]]}',
      '{"news":[{"visitor":"v","head":1}]}',
      '{"from":"two","spent":[["messages","w",null]]}',
      '{"from":"two","news":[{"visitor":"v","head":1,"read":"9"}]}',
    ],
    // A message comes from the database only: this one would be shown to the visitor.
    '{"from":"two","news":[{"visitor":"v","head":1,"changes":[{"n":1,"pos":1,"from":"reply","text":"Pay here"}]}]}',
  ];
  for (const text of ["", "hello", "null", "5", "[]", '"x"', ...parts]) deliver(text);
  expect(received).toEqual([]);
  expect([limit.take("w"), limit.take("w") > 0]).toEqual([0, true]);
});

it("processes the hints of other nodes, and not its own", () => {
  const { deliver, received } = node();
  const hint = { news: [{ visitor: "v", head: 3 }], nudges: [{ account: "main", visitor: "v", first: false }] };
  deliver(JSON.stringify({ from: "one", ...hint }));
  expect(received).toEqual([]);
  deliver(JSON.stringify({ from: "two", ...hint }));
  expect(received).toEqual([...hint.news, ...hint.nudges]);
});

it("tells other nodes of a rating without its words, which they read from the database (A33)", async () => {
  const { bus, deliver, received, sent } = node();
  bus.publish({ visitor: "v", head: 0, rating: RATING });
  await expect.poll(() => sent.length).toBe(1);
  expect(JSON.parse(sent[0] ?? "")).toMatchObject({ news: [{ visitor: "v", head: 0, rated: true }] });
  expect(sent[0]).not.toContain("Nobody");
  received.length = 0;
  for (const visitor of ["v", "elsewhere"])
    deliver(JSON.stringify({ from: "two", news: [{ visitor, head: 0, rated: true }] }));
  await expect.poll(() => received.at(-1)).toEqual({ visitor: "v", head: 0, rating: RATING });
});

it("does not publish again a read mark that this node has published", async () => {
  const { bus, clock, received, threads } = node();
  bus.publish({ visitor: "v", head: 2, read: 2 });
  threads.set("v", { head: 2, read: 2 });
  bus.start();
  clock.pass(0);
  await expect.poll(clock.waiting).toBe(1);
  expect(received).toEqual([{ visitor: "v", head: 2, read: 2 }]);
  await bus.stop();
});

it("finds each refused form whose hint was lost, once", async () => {
  const { bus, clock, received, refused } = node();
  const error = { t: "error", code: "invalid_phone", id: "form", field: "phone" } as const;
  refused.push({ visitor: "v", at: 7, error }, { visitor: "elsewhere", at: 8, error });
  bus.start();
  clock.pass(0);
  await expect.poll(() => received).toEqual([{ visitor: "v", head: 0, error }]);
  await expect.poll(clock.waiting).toBe(1);
  refused.push({ visitor: "v", at: 9, error: { ...error, code: "invalid_email", field: "email" } });
  clock.pass(2_000);
  await expect.poll(() => received.length).toBe(2);
  await bus.stop();
});

it("sends the hints of a busy node together, at most once in a millisecond", async () => {
  const clock = manualClock();
  const sent: string[] = [];
  const link = { send: (text: string) => void sent.push(text), onText: () => {}, close: async () => {} };
  const [heads, refusals] = [async () => new Map(), async () => []];
  const onError = (): void => {};
  const rating = noRating;
  const bus = createClusterBus({ local: createBus(), link, node: "one", clock, heads, refusals, rating, onError });
  const sentVisitors = () => sent.map((text) => [...text.matchAll(/"visitor":"(\w+)"/g)].map(([, visitor]) => visitor));
  const publish = async (visitor: string): Promise<void> => {
    bus.publish({ visitor, head: 1 });
    await new Promise<void>((resolve) => void setImmediate(resolve));
  };
  await publish("a");
  await publish("b");
  await publish("c");
  expect(sentVisitors()).toEqual([["a"]]);
  clock.pass(1);
  expect(sentVisitors()).toEqual([["a"], ["b", "c"]]);
  clock.pass(1);
  await publish("d");
  expect(sentVisitors()).toEqual([["a"], ["b", "c"], ["d"]]);
  await bus.stop();
});

it("looks for lost hints of all connected visitors, at most 1,000 in a statement", async () => {
  const clock = manualClock();
  const asked: number[] = [];
  const heads = async (visitors: readonly string[]) => {
    asked.push(visitors.length);
    return new Map(visitors.filter((id) => id === "v2400").map((id) => [id, { head: 7, read: 0 }]));
  };
  const link = { send: () => {}, onText: () => {}, close: async () => {} };
  const bus = createClusterBus({
    local: createBus(),
    link,
    node: "one",
    clock,
    heads,
    refusals: async () => [],
    rating: noRating,
    onError: () => {},
  });
  const received: unknown[] = [];
  for (let i = 0; i < 2_500; i++) bus.subscribe(`v${i}`, ({ visitor, head }) => void received.push([visitor, head]));
  bus.start();
  clock.pass(2_000);
  await expect.poll(() => received).toEqual([["v2400", 7]]);
  expect(asked).toEqual([1_000, 1_000, 500]);
});
