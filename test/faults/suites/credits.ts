/**
 * S11 with real processes: recharge keys, each submitted eight times at once, to a relay that is killed during its
 * calls, with a service that fails in many ways, before and after it granted. Checked at the end: grants per key at the
 * service, entries in the ledger, credits of the day.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { seededRandom } from "@porchlight/shared/seeded-random";
import { violationsOf } from "../../contract/interface.ts";
import { freePort } from "../../ports.ts";
import { type Env, type RelayProcess, startRelay } from "../process/relay.ts";
import { until } from "../process/testbed.ts";
import { RELAY } from "../workers.ts";
import { type Common, count, type Report, seconds } from "./suite.ts";

type Options = Common & { keys: number; copies?: number; kills: number };
type Row = { key: string; state: string };

const SECRET = "callback-secret-of-the-credits";
const AMOUNT = 5;
/** Final states. The service's 400 is final: a person decides (RELIABILITY 3c.4). */
const SETTLED = ["done", "unknown", "received", "refused"];
/** Share of the keys that fit within the day's cap. Without the cap, at least three quarters would be granted. */
const CAP_SHARE = 0.5;

/**
 * Starts a service that only grants credits. Until `state.recovered` is set, half of its calls fail, half of these after the
 * grant.
 */
async function startGranting(random: () => number) {
  const grants = new Map<string, number>();
  const violations: string[] = [];
  const state = { recovered: false, calls: 0, open: 0 };

  const answer = (response: ServerResponse, status: number, body: unknown): void =>
    void response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  /** Answers that leave the outcome unknown. */
  const AMBIGUOUS: ((response: ServerResponse) => void)[] = [
    (response) => void response.socket?.resetAndDestroy(),
    (response) => void response.socket?.end(),
    (response) => answer(response, 500, { error: { code: "INTERNAL", message: "crashed" } }),
    (response) => answer(response, 504, "gateway timeout"),
    (response) => void response.writeHead(502, { "Content-Type": "text/html" }).end("<h1>502</h1>"),
    (response) => void response.writeHead(200, { "Content-Type": "application/json" }).end('{"success":tr'),
    (response) => answer(response, 200, { success: true }),
    (response) => answer(response, 409, { error: { code: "CONFLICT", message: "conflict" } }),
  ];
  const failAmbiguously = (response: ServerResponse): void =>
    AMBIGUOUS[Math.floor(random() * AMBIGUOUS.length)]?.(response);

  function serve(description: string, response: ServerResponse): void {
    state.calls++;
    const key = /\[(.+)\]$/.exec(description)?.[1] ?? description;
    const draw = state.recovered ? 1 : random();
    if (draw < 0.2) return failAmbiguously(response);
    if (draw < 0.25) return answer(response, 400, { error: { code: "VALIDATION", message: "not now" } });
    grants.set(key, (grants.get(key) ?? 0) + 1);
    if (draw < 0.5) return failAmbiguously(response);
    answer(response, 200, { success: true, sub_account_id: "s", credits_added: AMOUNT, new_balance: 1 });
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("error", () => {});
    request.on("end", () => {
      const body = Buffer.concat(parts);
      const { method = "", url = "", headers } = request;
      violations.push(...violationsOf({ method, target: url, headers, body }).map((line) => `contract: ${line}`));
      const { description = "" } = JSON.parse(body.toString()) as { description?: string };
      state.open++;
      setTimeout(() => {
        state.open--;
        serve(description, response);
      }, random() * 120);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, grants, violations, state, close };
}

const dayOf = (now: number): number => Math.floor(now / 86_400_000);

/** The violations at the end, when nothing changes any more. */
function judge(
  keys: readonly string[],
  entries: readonly Row[],
  grants: ReadonlyMap<string, number>,
  days: number,
): string[] {
  const states = new Map(entries.map(({ key, state }) => [key, state]));
  const total = [...grants.values()].reduce((sum, times) => sum + times, 0) * AMOUNT;
  const cap = keys.length * CAP_SHARE * AMOUNT * days;
  return [
    ...[...grants].filter(([, times]) => times > 1).map(([key, times]) => `doubled: ${key} was granted ${times} times`),
    ...keys.filter((key) => !states.has(key)).map((key) => `lost: ${key} is not in the ledger`),
    ...entries
      .filter(({ key, state }) => state === "done" && !grants.has(key))
      .map(({ key }) => `lost: ${key} is recorded as granted, but was not granted`),
    ...entries
      .filter(({ key, state }) => state === "received" && grants.has(key))
      .map(({ key }) => `forged: ${key} was granted although it waits for a person`),
    ...entries
      .filter(({ key, state }) => state === "refused" && grants.has(key))
      .map(({ key }) => `forged: ${key} was granted, but is recorded as refused`),
    ...entries
      .filter(({ state }) => !SETTLED.includes(state))
      .map(({ key, state }) => `unsettled: ${key} is still ${state}`),
    ...(total > cap ? [`over: ${total} credits were granted, above the cap of ${cap}`] : []),
  ];
}

type Granting = Awaited<ReturnType<typeof startGranting>>;

/** The state of a run. */
type CreditsRun = {
  /** Folder of the relay's sources. */
  root: string;
  random: () => number;
  folder: string;
  service: Granting;
  /** The recharges' keys, and the clients' addresses. */
  keys: string[];
  emails: string[];
  /** How often each key is submitted. */
  copies: number;
  /** How often the relay is killed while keys arrive. */
  kills: number;
  env: Env & { PORT: string };
  relay: RelayProcess | undefined;
  /** Number of submissions that were answered with 200. */
  answered: number;
  ended: boolean;
};

/** @param options.kills how often the relay is killed while keys arrive */
export async function credits(options: Options): Promise<Report> {
  const begun = performance.now();
  const firstDay = dayOf(Date.now());
  const run = await createRun(options);
  const { service, keys, kills } = run;
  try {
    await submitAll(run);
    const entries = await settledLedger(run);
    // The cap starts again at midnight UTC, which may fall into a run.
    const days = dayOf(Date.now()) - firstDay + 1;
    const violations = [...service.violations, ...judge(keys, entries, service.grants, days)];
    const unanswered = keys.length * run.copies - run.answered;
    if (unanswered > 0) violations.push(`lost: ${unanswered} submissions were never answered`);
    return {
      violations,
      figures: {
        keys: keys.length,
        submissions: run.answered,
        kills,
        calls: service.state.calls,
        granted: service.grants.size,
        unknown: entries.filter(({ state }) => state === "unknown").length,
        "kept back by the cap": entries.filter(({ state }) => state === "received").length,
        "granted twice": count(violations, "doubled"),
        lost: count(violations, "lost"),
        seconds: seconds(begun),
      },
    };
  } finally {
    run.ended = true;
    await run.relay?.kill("SIGKILL");
    await service.close();
    rmSync(run.folder, { recursive: true, force: true });
  }
}

/** Starts the service, and writes the configuration of a relay that has not started yet. */
async function createRun({ root = RELAY, seed = 11, keys, copies = 8, kills }: Options): Promise<CreditsRun> {
  const random = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), "porchlight-credits-"));
  mkdirSync(join(folder, "data"));
  const service = await startGranting(random);
  const emails = Array.from({ length: 20 }, (_, i) => `client${i}@agency.example`);
  const rules = { mode: "auto", allow: emails, perGrant: 100, perDay: keys * CAP_SHARE * AMOUNT };
  const account = { url: service.url, key: "env:KEY", rate: 100_000, credits: rules };
  const config = { accounts: { main: account }, sites: { default: { account: "main" } } };
  writeFileSync(join(folder, "sites.json"), JSON.stringify(config));
  const env = {
    PORT: String(await freePort()),
    HOST: "127.0.0.1",
    DATA_DIR: join(folder, "data"),
    CALLBACK_SECRET: SECRET,
    KEY: "key+/=&",
    PORCHLIGHT_CONFIG: join(folder, "sites.json"),
  };
  const names = Array.from({ length: keys }, (_, i) => `key-${i}`);
  return {
    root,
    random,
    folder,
    service,
    keys: names,
    emails,
    copies,
    kills,
    env,
    relay: undefined,
    answered: 0,
    ended: false,
  };
}

/** Starts the relay and submits all keys, in equal parts between the kills. */
async function submitAll(run: CreditsRun): Promise<void> {
  const { service, keys, emails, copies, kills } = run;
  await start(run);
  for (let round = 0; round <= kills; round++) {
    const from = Math.floor((round * keys.length) / (kills + 1));
    const to = Math.floor(((round + 1) * keys.length) / (kills + 1));
    for (const [i, key] of keys.slice(from, to).entries())
      for (let copy = 0; copy < copies; copy++) void submit(run, key, emails[(from + i) % 20] ?? "");
    if (round === kills) break;
    // Killed while calls are open, or after the day's cap is used. Kills on a timer would mostly hit a process that is starting.
    if (!(await until(() => service.state.open > 0 || isSettled(run, to)))) throw new Error("The relay made no call");
    await new Promise((resolve) => setTimeout(resolve, run.random() * 60));
    await run.relay?.kill("SIGKILL");
    await start(run);
  }
}

/** Waits until every submission is answered and every grant is settled, or until one was made twice. @returns the ledger */
async function settledLedger(run: CreditsRun): Promise<Row[]> {
  const { service, keys, copies } = run;
  const doubled = (): boolean => [...service.grants.values()].some((times) => times > 1);
  await until(() => doubled() || run.answered >= keys.length * copies, 120_000);
  service.state.recovered = true;
  await until(() => doubled() || isSettled(run, keys.length), 90_000);
  return ledger(run);
}

/** Whether the ledger has this many keys at least, all in a final state. */
function isSettled(run: CreditsRun, keys: number): boolean {
  const entries = ledger(run);
  return entries.length >= keys && entries.every(({ state }) => SETTLED.includes(state));
}

async function start(run: CreditsRun): Promise<void> {
  run.relay = await startRelay(run.root, run.env);
}

/** Submits like the service: repeats until the answer is 200. */
async function submit(run: CreditsRun, key: string, email: string): Promise<void> {
  const body = JSON.stringify({ idempotency_key: key, email, amount: AMOUNT });
  const post = (): Promise<number> =>
    fetch(`http://127.0.0.1:${run.env.PORT}/callbacks/recharge/${SECRET}`, { method: "POST", body }).then(
      ({ status }) => status,
      () => 0,
    );
  while (!run.ended && (await post()) !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  run.answered++;
}

function ledger(run: CreditsRun): Row[] {
  const db = new DatabaseSync(join(run.folder, "data", "porchlight.db"), { readOnly: true });
  try {
    return db.prepare("SELECT key, state FROM ledger").all() as Row[];
  } finally {
    db.close();
  }
}
