/** The services of relay/deploy/compose.cluster.yaml, as processes without containers: relays, PostgreSQL, Redis, and Caddy in front. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { startCaddy } from "../caddy.ts";
import { freePort } from "../ports.ts";
import type { Front } from "../setup/front.ts";
import { createVisitor } from "../visitor.ts";
import { type Cluster, ORIGIN, SECRET, startCluster } from "./cluster.ts";

const DEPLOY = join(import.meta.dirname, "..", "..", "relay", "deploy");
type Service = { image: string; environment: Record<string, string> };
const { services } = parse(readFileSync(join(DEPLOY, "compose.cluster.yaml"), "utf8"), { merge: true }) as {
  services: Record<string, Service>;
};
const relays = Object.values(services).filter(({ image }) => image === "porchlight");
const ADMIN_TOKEN = "the-operator-of-three-nodes";

let cluster: Cluster;
let caddy: Front;
beforeAll(async () => {
  const port = await freePort();
  const env = {
    TRUST_PROXY: relays[0]?.environment.TRUST_PROXY ?? "",
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ADMIN_TOKEN,
  };
  cluster = await startCluster({ nodes: relays.length, redis: true, env });
  const ports = relays.map((_, node) => Number(new URL(cluster.url(node)).port));
  caddy = await startCaddy(readFileSync(join(DEPLOY, "Caddyfile"), "utf8"), port, ports);
  cluster.sandbox.configure({ callbackUrl: `${caddy.url}/callbacks/reply/${SECRET}` });
});
afterAll(async () => {
  await caddy?.stop();
  await cluster?.stop();
});

/** Open chats of a node, from its own metrics. */
async function chatsAt(node: number): Promise<number> {
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  const text = await (await fetch(`${cluster.url(node)}/metrics`, { headers })).text();
  return Number(/^porchlight_connections (\d+)$/m.exec(text)?.[1]);
}

it("visitors chat through Caddy with each of the three relays, and get their own replies", async () => {
  expect(relays).toHaveLength(3);
  const visitors = relays.map(() => createVisitor(caddy.url, { origin: ORIGIN }));
  for (const visitor of visitors) await visitor.connect();
  expect(await Promise.all(relays.map((_, node) => chatsAt(node)))).toEqual([1, 1, 1]);
  for (const [n, visitor] of visitors.entries())
    for (const text of [`first of ${n}`, `second of ${n}`]) {
      await visitor.send(text);
      await visitor.receives(`echo: ${text}`);
    }
  for (const [n, visitor] of visitors.entries())
    expect(visitor.log().map(({ text }) => text)).toEqual(
      ["first", "second"].flatMap((word) => [`${word} of ${n}`, `echo: ${word} of ${n}`]),
    );
  const script = await fetch(`${caddy.url}/widget.js`);
  expect([script.status, (await script.text()).length > 1_000]).toEqual([200, true]);
  await Promise.all(visitors.map((visitor) => visitor.drop()));
});
