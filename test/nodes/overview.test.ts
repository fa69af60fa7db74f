import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cluster, startCluster } from "./cluster.ts";

const ADMIN_TOKEN = "the-operator-of-both-nodes";
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 2, env: { ADMIN_TOKEN } });
});
afterAll(() => cluster.stop());

/** Signs in at a node. @returns a function that reads the values of the overview's cards, by name */
async function overviewOf(node: number): Promise<() => Promise<Record<string, string>>> {
  const answer = await fetch(`${cluster.url(node)}/admin/login`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ token: ADMIN_TOKEN }),
    headers: { "Sec-Fetch-Site": "same-origin" },
  });
  const headers = { Cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
  return async () => {
    const page = await (await fetch(`${cluster.url(node)}/admin`, { headers })).text();
    const cards = page.matchAll(/<p>([^<]+)<\/p><p class="value">([^<]+)</g);
    return Object.fromEntries([...cards].map(([, name, value]) => [name, value]));
  };
}

it("the overview of each node counts the chats and messages of all nodes", async () => {
  cluster.sendCallbacksTo(0);
  for (const node of [0, 1]) {
    const visitor = cluster.visitor(node);
    await visitor.connect();
    await visitor.send(`to node ${node}`);
    await visitor.receives(`echo: to node ${node}`);
  }
  for (const node of [0, 1])
    await expect.poll(await overviewOf(node)).toMatchObject({ "From visitors": "2", Replies: "2", "Open chats": "2" });
});
