import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../relay/src/base/clock.ts";
import { realClock } from "../relay/src/base/clock.ts";
import type { ErrorFrame, RelayFrame, Status } from "../shared/protocol.ts";
import { type Harness, type HarnessOptions, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { startReceiver, WEBHOOK_SECRET } from "./receiver.ts";
import { type Env, runAt } from "./relays.ts";
import { porchlight } from "./shell.ts";
import { caller, tokenFor } from "./tokens.ts";
import type { Visitor } from "./visitor.ts";

const DAY = 86_400_000;

let harness: Harness;
let backend: Awaited<ReturnType<typeof startReceiver>>;
afterEach(async () => {
  await harness.stop();
  await backend.stop();
});

/** A harness whose site is the result of `site`, called with the address of the owner's backend. */
async function open(site: (url: string) => object = () => ({}), more: HarnessOptions = {}): Promise<void> {
  backend = await startReceiver(WEBHOOK_SECRET);
  const env = { WEBHOOK_SECRET, ...more.env };
  harness = await startHarness({ ...more, sandbox: NO_RANDOM_FAULTS, env, site: site(backend.url) });
}

async function guest(): Promise<Visitor> {
  const visitor = harness.visitor();
  await visitor.connect();
  return visitor;
}

/** Changes the site's budget in the configuration file. */
async function setBudget(messagesPerDay: number): Promise<void> {
  const path = join(harness.dataDir, "sites.json");
  const file = JSON.parse(await readFile(path, "utf8")) as { sites: { default: object } };
  Object.assign(file.sites.default, { messagesPerDay });
  await writeFile(path, JSON.stringify(file));
}
/** Changes the site's budget while the relay runs. */
async function reload(messagesPerDay: number): Promise<void> {
  await setBudget(messagesPerDay);
  expect(await porchlight(harness, ["reload"])).toMatchObject({ code: 0 });
}

const nextError = (visitor: Visitor): Promise<ErrorFrame> =>
  visitor.next((frame: RelayFrame): frame is ErrorFrame => frame.t === "error");
const bodies = (): string[] => harness.sandbox.messages().map(({ body }) => body);

describe("the owner's list of blocks", () => {
  it("disconnects a blocked visitor with one frame, keeps them out, and lets them in again when the block is removed (C24)", async () => {
    await open();
    const [rude, kind] = [await guest(), await guest()];
    await rude.send("hello");
    await rude.receives("echo: hello");
    const id = harness.sandbox.messages()[0]?.fromId ?? "";
    const call = caller(harness, await tokenFor(harness));
    expect(await call("POST", "/blocks", { value: "nobody", reason: "?" }, "b0")).toMatchObject({
      status: 400,
      body: { field: "value" },
    });
    const closed = rude.ended();
    const added = await call("POST", "/blocks", { value: id, reason: "insults" }, "b1");
    expect(added).toMatchObject({ status: 200, body: { value: id, reason: "insults" } });
    expect(await nextError(rude)).toEqual({ t: "error", code: "blocked" });
    expect(await closed).toBe(4403);
    const again = harness.visitor({ token: rude.token() ?? "" });
    const shut = again.connect().catch((error: Error) => error.message);
    expect(await shut).toContain("4403");
    await kind.send("still here");
    await kind.receives("echo: still here");
    expect((await call("GET", "/blocks")).body.items).toMatchObject([{ value: id }]);
    expect((await call("DELETE", `/blocks/${added.body.id}`, undefined, "b2")).status).toBe(204);
    await rude.greet("sorry");
  });

  it("sends no waiting message of a blocked visitor to the service", async () => {
    await open();
    const rude = await guest();
    // The message waits until the block is in force.
    harness.sandbox.failNext("incoming", 100, 503);
    const { id } = await rude.send("buy my pills");
    await expect.poll(() => harness.lines().some((line) => line.includes("delivery.retry"))).toBe(true);
    const call = caller(harness, await tokenFor(harness));
    const [row] = (await call("GET", "/visitors")).body.items as { id: string }[];
    await call("POST", "/blocks", { value: row?.id, reason: "spam" }, "b1");
    await expect.poll(() => harness.lines().some((line) => line.includes("delivery.failed"))).toBe(true);
    expect(bodies()).toEqual([]);
    const transcript = (await call("GET", `/visitors/${row?.id}/messages`)).body.items;
    expect(transcript).toMatchObject([{ id, state: "failed" }]);
  });

  it("is known before the first message leaves after a start", async () => {
    await open();
    const rude = await guest();
    harness.sandbox.failNext("incoming", 1_000, 503);
    await rude.send("buy my pills");
    await expect.poll(() => harness.lines().some((line) => line.includes("delivery.retry"))).toBe(true);
    const call = caller(harness, await tokenFor(harness));
    const [row] = (await call("GET", "/visitors")).body.items as { id: string }[];
    await harness.halt();
    expect(await porchlight(harness, ["block", "add", row?.id ?? "", "--reason", "spam"])).toMatchObject({ code: 0 });
    const calls = (): number => harness.sandbox.requests().filter(({ route }) => route === "incoming").length;
    const before = calls();
    await harness.start();
    await expect.poll(() => harness.lines().some((line) => line.includes("delivery.failed"))).toBe(true);
    expect(calls()).toBe(before);
  });

  it("applies to a network behind the trusted proxy, on every transport, also from the command line", async () => {
    await open(undefined, { env: { TRUST_PROXY: "1" } });
    const added = await porchlight(harness, ["block", "add", "198.51.100.0/24", "--reason", "flood", "--json"]);
    const { id } = JSON.parse(added.out) as { id: string };
    const line = async (address: string): Promise<string> => {
      const headers = { origin: harness.host, "x-forwarded-for": address };
      const opened = (await (await fetch(`${harness.url}/socket/lines`, { method: "POST", headers })).json()) as {
        line: string;
      };
      const url = `${harness.url}/socket/lines/${opened.line}`;
      await fetch(url, { method: "POST", headers, body: JSON.stringify({ t: "hello", v: 1, site: "default" }) });
      return (await fetch(`${url}?mode=poll`, { headers })).text();
    };
    await expect
      .poll(() => line("203.0.113.1, 198.51.100.77"))
      .toBe('{"t":"error","code":"blocked"}\n{"t":"end","code":4403}\n');
    expect(await line("198.51.100.77, 203.0.113.1")).toContain('"t":"welcome"');
    expect((await porchlight(harness, ["block", "list"])).out).toContain("198.51.100.0/24");
    expect((await porchlight(harness, ["block", "remove", id])).code).toBe(0);
    await expect.poll(() => line("198.51.100.77")).toContain('"t":"welcome"');
  });
});

describe("a site's budget of messages a day", () => {
  /** How far a relay's clock that shows 1:00 is ahead: no midnight comes in between, and nothing has waited half a day. */
  const early = DAY / 24 - (Date.now() % DAY);
  const isDelayed = (frame: RelayFrame): frame is Status => frame.t === "status" && frame.delivery === "delayed";

  it("holds further messages for the next days, in order, and informs the visitor, the owner and the operator (C24)", async () => {
    let ahead = early;
    const clock: Clock = { ...realClock, now: () => Date.now() + ahead };
    const webhook = (url: string) => ({
      messagesPerDay: 2,
      webhook: { url, secret: "env:WEBHOOK_SECRET", events: ["budget.reached"] },
    });
    await open(webhook, { run: (env: Env) => runAt(env, clock) });
    const visitor = await guest();
    for (const text of ["one", "two"]) {
      await visitor.send(text);
      await visitor.receives(`echo: ${text}`);
    }
    for (const text of ["three", "four", "five"]) await visitor.send(text);
    await visitor.next(isDelayed);
    await expect
      .poll(() => backend.events)
      .toMatchObject([{ type: "budget.reached", data: { site: "default", messagesPerDay: 2 } }]);
    const doctor = await porchlight(harness, ["doctor"], {
      PORCHLIGHT_CONFIG: `${harness.dataDir}/sites.json`,
      WEBHOOK_SECRET,
    });
    expect(doctor.out).toContain("FAIL  budget of site default: 2 of today's 2 messages are used");
    await visitor.drop();
    expect((await visitor.connect()).delivery).toBe("delayed");
    expect(bodies()).toEqual(["one", "two"]);
    for (const [days, sent] of [
      [1, 4],
      [2, 5],
    ] as const) {
      await visitor.drop();
      await harness.halt();
      ahead = early + days * DAY;
      await harness.start();
      await harness.sandbox.until((all) => all.messages().length === sent);
      expect((await visitor.connect()).delivery).toBe("ok");
    }
    expect(bodies()).toEqual(["one", "two", "three", "four", "five"]);
    await visitor.receives("echo: five");
  });

  it("lets messages that wait for another day leave when it is raised or removed, in order, and tells the visitor", async () => {
    const clock: Clock = { ...realClock, now: () => Date.now() + early };
    await open(() => ({ messagesPerDay: 1 }), { run: (env: Env) => runAt(env, clock) });
    const visitor = await guest();
    for (const text of ["one", "two", "three", "four"]) await visitor.send(text);
    await visitor.next(isDelayed);
    await harness.sandbox.until((all) => all.messages().length === 1);
    await reload(3);
    await harness.sandbox.until((all) => all.messages().length === 3);
    await reload(2);
    await visitor.drop();
    expect((await visitor.connect()).delivery).toBe("delayed");
    expect(bodies()).toEqual(["one", "two", "three"]);
    await reload(0);
    await visitor.next((frame) => frame.t === "status" && frame.delivery === "ok");
    await visitor.receives("echo: four");
    expect(bodies()).toEqual(["one", "two", "three", "four"]);
  });

  it("applies to the messages that wait when it was raised before a restart", async () => {
    const clock: Clock = { ...realClock, now: () => Date.now() + early };
    await open(() => ({ messagesPerDay: 1 }), { run: (env: Env) => runAt(env, clock) });
    const visitor = await guest();
    for (const text of ["one", "two"]) await visitor.send(text);
    await harness.sandbox.until((all) => all.messages().length === 1);
    await visitor.drop();
    await harness.halt();
    await setBudget(2);
    await harness.start();
    await harness.sandbox.until((all) => all.messages().length === 2);
    expect(bodies()).toEqual(["one", "two"]);
  });
});

describe("the owner's guard for new visitors", () => {
  const guard = (onFailure: string) => (url: string) => ({ guard: { url, secret: "env:WEBHOOK_SECRET", onFailure } });

  it("gets one signed request before a first message is accepted; after a refusal the message counts as not sent (C24)", async () => {
    await open(guard("allow"));
    backend.answerBodies({ allow: true }, { allow: false });
    const [good, bad] = [await guest(), await guest()];
    await good.send("hello", "first-of-good", { page: "/lamps" });
    await good.send("and again");
    await good.receives("echo: and again");
    await expect(bad.send("buy pills")).rejects.toThrow("not_allowed");
    // A form does not bypass the guard.
    backend.answerBodies({ allow: false });
    bad.write({ t: "lead", id: "the-form", chat: true, email: "bad@post.example" });
    expect(await nextError(bad)).toMatchObject({ code: "not_allowed", id: "the-form" });
    expect(backend.events).toMatchObject([
      {
        type: "visitor.arriving",
        valid: true,
        data: {
          site: "default",
          text: "hello",
          page: { url: `${harness.host}/lamps`, title: null },
          address: "127.0.0.1",
        },
      },
      { type: "visitor.arriving", valid: true, data: { text: "buy pills" } },
      { type: "visitor.arriving", valid: true, data: { text: "" } },
    ]);
    expect(bodies()).toEqual(["hello", "and again"]);
  });

  it("lets in everybody or nobody when it does not answer, as the site says", async () => {
    await open(guard("allow"));
    backend.answerWith(500);
    await (await guest()).send("hello");
    expect(harness.lines().some((line) => line.includes("guard.silent"))).toBe(true);
    await harness.stop();
    await backend.stop();
    await open(guard("refuse"));
    backend.answerWith(500);
    await expect((await guest()).send("hello")).rejects.toThrow("not_allowed");
    expect(bodies()).toEqual([]);
  });
});
