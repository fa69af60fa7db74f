/**
 * What two nodes share: whose turn it is to call the service, limits, deletions, and the warning about local files. Another
 * process holds the account's lease until the end, so neither node may make a call.
 */

import { setTimeout as pause } from "node:timers/promises";
import { migrate } from "../../../relay/src/db/migrate.ts";
import { openDatabase } from "../../../relay/src/db/open.ts";
import { addToken, SCOPES } from "../../../relay/src/records/tokens.ts";
import { CLOSE } from "../../../shared/close.ts";
import { type Cluster, startCluster } from "../../nodes/cluster.ts";
import type { Visitor } from "../../visitor.ts";
import { until } from "../process/testbed.ts";
import type { Common, Report } from "./suite.ts";

const EMAIL = "client@agency.example";
/** Messages that a visitor may send at once (`MESSAGE_BURST` of the relay). */
const BURST = 10;
/** Attempts to send more, and the pause between them in ms: a node reports its counts to the others every 200 ms. */
const MORE = { attempts: 6, pause: 150 };
/** Longest time until another node closes a deleted visitor's tab, in ms. Without a hint, the next heartbeat does: 25 s. */
const CLOSED_WITHIN_MS = 10_000;
/** Longest time until the nodes make the calls of a lease that has become free, in ms. */
const CALLED_WITHIN_MS = 30_000;

/** Creates the tables, the lease of another process, and an API token. @returns the token */
async function prepare(databaseUrl: string): Promise<string> {
  const db = await openDatabase(databaseUrl);
  await migrate(db);
  const hour = 3_600_000;
  const lease = "INSERT INTO leases (name, node, epoch, until) VALUES ('account:default', 'elsewhere', 1, $1)";
  await db.run(lease, Date.now() + hour);
  const { text } = await db.transaction((tx) =>
    addToken(tx, { site: "default", name: "tests", scopes: SCOPES, now: Date.now() }),
  );
  await db.close();
  return text;
}

async function freeLease({ databaseUrl }: Cluster): Promise<void> {
  const db = await openDatabase(databaseUrl);
  await db.run("UPDATE leases SET until = 0 WHERE name = 'account:default'");
  await db.close();
}

/** Calls a node's server API. @throws Error when the relay refuses */
async function api(cluster: Cluster, token: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${cluster.url(0)}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "Idempotency-Key": path },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** How many of the three calls the service received: a lead, a message and a grant. */
function calls({ sandbox }: Cluster): number {
  const { contacts, grants } = sandbox.state();
  return Number(contacts.length > 0) + Number(sandbox.outgoing().length > 0) + Number(grants.length > 0);
}

/** Uses up a visitor's limit at node 0. @returns how many more messages node 1 accepts from the same visitor, and their tab there */
async function sendTooMany(cluster: Cluster): Promise<{ accepted: number; tab: Visitor }> {
  const first = cluster.visitor(0);
  await first.connect();
  for (let i = 0; i < BURST; i++) await first.send(`message ${i}`);
  const tab = cluster.visitor(1, first.token());
  await tab.connect();
  let accepted = 0;
  for (let i = 0; i < MORE.attempts; i++) {
    await pause(MORE.pause);
    const refusal = await tab.send(`more ${i}`).then(
      () => undefined,
      (error: Error) => error,
    );
    if (refusal === undefined) accepted++;
    else if (!refusal.message.includes("rate_limited")) throw refusal;
  }
  return { accepted, tab };
}

/** Deletes the guest at node 0. @returns the code with which node 1 closes their tab, or `open` */
async function deleteGuest(cluster: Cluster, token: string, tab: Visitor): Promise<number | "open"> {
  const { items } = (await api(cluster, token, "GET", "/visitors")) as { items: { id: string }[] };
  const guest = items.find(({ id }) => !id.startsWith("u_"))?.id ?? "";
  const closed = tab.ended();
  await api(cluster, token, "DELETE", `/visitors/${guest}`);
  return Promise.race([closed, pause(CLOSED_WITHIN_MS).then(() => "open" as const)]);
}

async function check(cluster: Cluster, token: string): Promise<Report> {
  const violations: string[] = [];
  cluster.sandbox.seed({ subAccounts: [{ email: EMAIL, balance: 1, threshold: 5, rechargeAmount: 20 }] });
  await api(cluster, token, "POST", "/leads", { firstName: "Ada", email: "ada@b.example", lists: [] });
  await api(cluster, token, "POST", "/messages", { to: { user: "customer-7" }, text: "Welcome" });
  await api(cluster, token, "POST", "/credits/grants", { email: EMAIL, amount: 5 });
  const { accepted, tab } = await sendTooMany(cluster);
  // One message may be accepted before the report, and one that a minute refills.
  if (accepted > 2) violations.push(`limit: node 1 accepted ${accepted} messages above the limit used up at node 0`);
  const code = await deleteGuest(cluster, token, tab);
  if (code !== CLOSE.gone.code)
    violations.push(`deletion: the tab at node 1 of a visitor deleted at node 0 is ${code}`);
  const early = calls(cluster);
  if (early > 0 || cluster.sandbox.messages().length > 0)
    violations.push(`lease: nodes without the account's lease made ${early} calls`);
  const warned = [0, 1].some((node) => cluster.lines(node).some((line) => line.includes('"cluster.files_local"')));
  if (!warned) violations.push("files: no node warned that files are local");
  await freeLease(cluster);
  if (!(await until(async () => calls(cluster) === 3, CALLED_WITHIN_MS)))
    violations.push(`lease: ${calls(cluster)} of 3 calls after the lease became free`);
  return { figures: { accepted, early }, violations };
}

/** Runs two nodes and checks what they share. */
export async function nodesShared({ root }: Common): Promise<Report> {
  let token = "";
  const cluster = await startCluster({
    nodes: 2,
    root,
    env: { MESSAGES_PER_MINUTE: "1" },
    prepare: async (databaseUrl) => {
      token = await prepare(databaseUrl);
    },
  });
  try {
    return await check(cluster, token);
  } finally {
    await cluster.stop();
  }
}
