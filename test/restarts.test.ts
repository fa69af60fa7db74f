import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { CLOSE } from "../shared/close.ts";
import { type Harness, startHarness } from "./harness.ts";
import { runProcess } from "./relays.ts";

const HOUR = 3_600_000;
let harness: Harness;
beforeEach(async () => {
  harness = await startHarness({ sites: { old: {} }, run: runProcess });
});
afterEach(() => harness.stop());

/** Opens a connection. @returns its close code */
async function closeCodeOfNewConnection(): Promise<number> {
  const socket = new WebSocket(`${harness.url.replace("http", "ws")}/socket`, { headers: { Origin: harness.host } });
  socket.once("open", () => socket.send(JSON.stringify({ t: "hello", v: 1, site: "default" })));
  const [code] = (await once(socket, "close")) as [number];
  return code;
}

it("accepts replies to messages that are delivered during a stop, and no new visitors", async () => {
  const visitor = harness.visitor();
  await visitor.connect();
  // The answer takes longer than the reply; both come when the service's time passes.
  harness.sandbox.configure({ clock: "virtual", latencyMs: 0, processingDelayMs: 0, botDelayMs: 700 });
  harness.sandbox.failNext("incoming", 1, { kind: "delay", ms: HOUR });
  await visitor.send("on its way");
  await harness.sandbox.until((sandbox) => sandbox.messages().length === 1);
  const halted = harness.halt();
  await expect.poll(async () => (await fetch(`${harness.url}/readyz`)).status).toBe(503);
  expect(await closeCodeOfNewConnection()).toBe(CLOSE.restart.code);
  const replied = async () => {
    await harness.sandbox.advance(1_000);
    return harness.sandbox.outgoing().some(({ status }) => status !== null);
  };
  await expect.poll(replied).toBe(true);
  await harness.sandbox.advance(HOUR);
  await halted;
  expect(harness.sandbox.outgoing().map(({ body, status }) => [body, status])).toEqual([["echo: on its way", "Sent"]]);
  harness.sandbox.configure({ clock: "real", botDelayMs: 0 });
  await harness.start();
  await visitor.connect();
  await visitor.receives("echo: on its way");
});

it("delivers waiting messages only once it can receive replies", async () => {
  const visitor = harness.visitor();
  await visitor.connect();
  harness.sandbox.configure({ forceStatus: { incoming: 503 } });
  await visitor.send("left behind");
  await harness.halt();
  harness.sandbox.configure({ forceStatus: {} });
  await harness.start();
  await visitor.connect();
  await visitor.receives("echo: left behind");
});

/** Stops the relay, changes the sites in its configuration file, and starts it again. */
async function configure(change: (sites: Record<string, unknown>) => void): Promise<void> {
  const path = join(harness.dataDir, "sites.json");
  const file = JSON.parse(await readFile(path, "utf8")) as { sites: Record<string, unknown> };
  await harness.halt();
  change(file.sites);
  await writeFile(path, JSON.stringify(file));
  await harness.start();
}

it("messages of a site that was removed from the configuration wait until it returns, and do not delay others", async () => {
  const old = harness.visitor({ site: "old" });
  await old.connect();
  harness.sandbox.configure({ forceStatus: { incoming: 503 } });
  await old.send("of the old site");
  await old.drop();
  let kept: unknown;
  await configure((sites) => {
    kept = sites.old;
    delete sites.old;
  });
  harness.sandbox.configure({ forceStatus: {} });
  const other = harness.visitor();
  const welcome = await other.connect();
  for (const text of ["one", "two", "three"]) {
    await other.send(text);
    await other.receives(`echo: ${text}`);
  }
  expect(welcome.delivery).toBe("ok");
  expect(harness.sandbox.messages().map(({ body }) => body)).toEqual(["one", "two", "three"]);
  await configure((sites) => {
    sites.old = kept;
  });
  await old.connect();
  await old.receives("echo: of the old site");
});
