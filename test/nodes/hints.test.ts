import { afterAll, beforeAll, expect, it } from "vitest";
import { openDatabase } from "../../relay/src/db/open.ts";
import { FLAWLESS } from "../flaws.ts";
import { type Cluster, ORIGIN, startCluster } from "./cluster.ts";
import { traffic } from "./traffic.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 2 });
});
afterAll(() => cluster.stop());

it("sends hints to other nodes by PostgreSQL without Redis", async () => {
  cluster.sendCallbacksTo(0);
  const figures = await traffic(cluster, { visitors: 5, messages: 8, nodeOf: () => 1 });
  expect(figures).toEqual({ acknowledged: 40, ...FLAWLESS });
});

it("accepts a visitor's session on every node", async () => {
  const visitor = cluster.visitor(0);
  await visitor.connect();
  await visitor.send("Hello");
  const elsewhere = cluster.visitor(1, visitor.token());
  const welcome = await elsewhere.connect();
  await elsewhere.receives("echo: Hello");
  expect(welcome.reset).toBe(true);
});

it("shows a visitor of one node whether the other node, which sends to the service, delivered their message", async () => {
  const sender = cluster.holder();
  cluster.sendCallbacksTo(sender);
  const visitor = cluster.visitor(1 - sender);
  await visitor.connect();
  const shows = async (text: string, state: string): Promise<void> => {
    const { id } = await visitor.send(text);
    await visitor.sees((each) => each.id === id && each.from === "visitor" && each.state === state);
  };
  await shows("taken", "delivered");
  cluster.sandbox.failNext("incoming", 1, 400);
  await shows("refused for good", "failed");
  await shows("taken again", "delivered");
});

it("tells visitors of one node when the other node, which sends to the service, gets no answers, and when it gets them again", async () => {
  const sender = cluster.holder();
  cluster.sendCallbacksTo(sender);
  // After eight failures in a row, a node stops calling the service for a moment.
  const crowd = Array.from({ length: 8 }, () => cluster.visitor(1 - sender));
  await Promise.all(crowd.map((visitor) => visitor.connect()));
  cluster.sandbox.failNext("incoming", crowd.length, 503);
  await Promise.all(crowd.map((visitor) => visitor.send("taken late")));
  const isTold = (delivery: string) =>
    Promise.all(crowd.map((visitor) => visitor.next((frame) => frame.t === "status" && frame.delivery === delivery)));
  await isTold("delayed");
  await Promise.all(crowd.map((visitor) => visitor.receives("echo: taken late")));
  await isTold("ok");
});

it("serves a browser without WebSockets whose requests reach different nodes", async () => {
  cluster.sendCallbacksTo(0);
  const headers = { origin: ORIGIN };
  const opened = await fetch(`${cluster.url(0)}/socket/lines`, { method: "POST", headers });
  const { line } = (await opened.json()) as { line: string };
  const at = (node: number, query = ""): string => `${cluster.url(node)}/socket/lines/${line}${query}`;
  const frames = [
    { t: "hello", v: 1, site: "default" },
    { t: "send", id: "over-two-nodes", text: "Hello" },
  ];
  const body = frames.map((frame) => JSON.stringify(frame)).join("\n");
  expect((await fetch(at(1), { method: "POST", headers, body })).status).toBe(204);
  let received = "";
  for (let node = 1; !received.includes("echo: Hello"); node = 1 - node)
    received += await (await fetch(at(node, "?mode=poll"), { headers })).text();
  const stream = await fetch(at(1, "?mode=stream"), { headers });
  expect([stream.status, stream.headers.get("access-control-allow-origin")]).toEqual([200, ORIGIN]);
  await stream.body?.cancel();
  const own = await fetch(at(1, "?mode=poll&wait=0"), { headers: { "sec-fetch-site": "same-origin" } });
  expect(own.status).toBe(200);
  const strange = await fetch(at(1), { method: "POST", headers: { origin: "https://other.example" }, body });
  expect(strange.status).toBe(403);
  expect((await fetch(`${at(1)}/end`, { method: "POST", headers })).status).toBe(204);
  expect((await fetch(at(1, "?mode=poll&wait=0"), { headers })).status).toBe(404);
});

it("ignores hints that other programs forge in the same database (A33)", async () => {
  cluster.sendCallbacksTo(0);
  const visitor = cluster.visitor(1);
  await visitor.greet("Hello");
  const [id] = JSON.parse(Buffer.from(visitor.token()?.split(".")[0] ?? "", "base64url").toString()) as string[];
  const reply = { n: 99, pos: 99, id: "r-forged", from: "reply", at: 1, text: "Pay here" };
  const forged = [{ ended: "*" }, { gone: true }, { head: 99, changes: [reply] }];
  const db = await openDatabase(cluster.databaseUrl);
  for (const one of forged) {
    const hint = JSON.stringify({ from: "forger", news: [{ visitor: id, head: 0, ...one }] });
    await db.all("SELECT pg_notify('porchlight', $1)", hint);
  }
  await db.close();
  // The echo comes from the other node, by a hint that follows the forged ones over the same connection.
  await visitor.send("Still here?");
  await visitor.receives("echo: Still here?");
});
