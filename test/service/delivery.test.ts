import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { RATE_STYLES } from "../../relay/sandbox/options.ts";
import { runFast, runOnManualClock } from "../clocks.ts";
import { type Harness, type HarnessOptions, KEY, NO_RANDOM_FAULTS, startHarness } from "../harness.ts";
import { runInside } from "../relays.ts";
import type { Visitor } from "../visitor.ts";

let harness: Harness;
let visitor: Visitor;
afterEach(() => harness?.stop());

async function open(options: HarnessOptions = {}): Promise<void> {
  harness = await startHarness({ ...options, sandbox: { ...NO_RANDOM_FAULTS, ...options.sandbox } });
  visitor = harness.visitor();
  await visitor.connect();
}
const incomingCalls = () => harness.sandbox.requests().filter(({ route }) => route === "incoming");
const calledSids = () =>
  incomingCalls().map(({ body }) => (body as { customData: { messageSid: string } }).customData.messageSid);
const bodies = () => harness.sandbox.messages().map(({ body }) => body);
const logged = (event: string) => harness.lines().filter((line) => line.includes(`"${event}"`));
const delivered = (text: string) =>
  visitor.sees((message) => message.from === "visitor" && message.text === text && message.state === "delivered");

describe("a visitor's message", () => {
  it("that was processed despite a 500 is sent again under its id, and the bot answers once (4.13-5; R-462, R-223)", async () => {
    await open();
    harness.sandbox.failNext("incoming", 1, { kind: "status", status: 500, when: "after" });
    await visitor.send("once");
    await delivered("once");
    await visitor.send("twice");
    await visitor.receives("echo: twice");
    expect(bodies()).toEqual(["once", "twice"]);
    expect(harness.sandbox.outgoing().map(({ body }) => body)).toEqual(["echo: once", "echo: twice"]);
    const [first, second, third] = calledSids();
    expect([first === second, first === third]).toEqual([true, false]);
    expect(first).toMatch(/^[\w-]{20,64}$/);
  });

  it.each(["same200", "new200", 409, 400] as const)(
    "that is repeated counts as delivered when the service answers the repeat with %s (R-223)",
    async (duplicateAnswer) => {
      await open({ sandbox: { duplicateAnswer } });
      harness.sandbox.failNext("incoming", 1, { kind: "resetConnection", when: "after" });
      await visitor.send("again");
      await delivered("again");
      expect([incomingCalls().length, bodies()]).toEqual([2, ["again"]]);
    },
  );

  it("is marked as failed after a 400 and never sent again; the next one is sent (R-463)", async () => {
    await open();
    harness.sandbox.failNext("incoming", 1, { kind: "status", status: 400, body: { error: "No" } });
    await visitor.send("refused");
    await visitor.sees((message) => message.from === "visitor" && message.state === "failed");
    await visitor.send("next");
    await visitor.receives("echo: next");
    expect([incomingCalls().length, bodies()]).toEqual([2, ["next"]]);
  });

  it("keeps its place when its reply arrives before its answer (4.13-13)", async () => {
    await open({ sandbox: { clock: "virtual" } });
    harness.sandbox.failNext("incoming", 1, { kind: "delay", ms: 1_500 });
    await visitor.send("quick");
    await visitor.receives("echo: quick");
    expect(visitor.log()[0]).toMatchObject({ text: "quick", state: "sent" });
    await harness.sandbox.advance(1_500);
    await delivered("quick");
    expect(visitor.log().map(({ text }) => text)).toEqual(["quick", "echo: quick"]);
  });

  it.each(["", " \u00a0\n\t", "\u200b\u200c\u200d\u2060\ufeff", " \u200b\u3000"])(
    "without visible text (%j) is refused without a call to the service (4.13-19; R-231)",
    async (text) => {
      await open();
      await expect(visitor.send(text)).rejects.toThrow("empty");
      expect(harness.sandbox.requests()).toEqual([]);
    },
  );

  it("contains the site's labels and no unknown values (R-224 to R-228, R-232, R-239)", async () => {
    await open({ site: { channel: "chat of the shop", business: "shop 1" } });
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    expect(incomingCalls()[0]?.body).toEqual({
      customData: {
        messageSid: expect.stringMatching(/^[\w-]{20,64}$/),
        fromId: expect.stringMatching(/^v_[A-Za-z0-9_]{26,48}$/),
        toId: "shop 1",
        body: "hello",
        channel: "chat of the shop",
      },
      messageType: "text",
    });
  });
});

describe("a service that limits the pace (4.13-8; R-801 to R-803)", () => {
  it.each(RATE_STYLES)(
    "is called again at the time that its headers state in the style %s, and not before",
    async (rateHeaders) => {
      const { run, pass } = runOnManualClock();
      // Longer than the minute that the relay assumes: only the headers state when the window ends.
      const limits = { rateLimit: 3, rateWindowMs: 90_000, rateHeaders, botScript: "silent" } as const;
      await open({ run, rate: 10_000, sandbox: { ...limits, clock: "virtual" } });
      const texts = ["one", "two", "three", "four", "five"];
      for (const text of texts) await visitor.send(text);
      const refusals = () => incomingCalls().filter(({ status }) => status === 429).length;
      await harness.sandbox.until(() => refusals() === 1);
      expect(bodies()).toEqual(["one", "two", "three"]);
      // Time passes for relay and service. If the relay called too early, the service would refuse again. The loop runs long,
      // because many of these seconds pass while one commit waits for the disk.
      for (let second = 0; second < 10_000 && bodies().length < texts.length; second++) {
        await harness.sandbox.advance(1_000);
        pass(1_000);
        await fetch(`${harness.url}/healthz`);
      }
      await delivered("five");
      expect([bodies(), logged("delivery.failed")]).toEqual([texts, []]);
      if (rateHeaders !== "none") expect(refusals()).toBe(1);
    },
  );
});

describe("a service that refuses the relay", () => {
  it("with 401 gets no more messages until there is a new key; then they are sent in order (4.13-9; R-464, R-503)", async () => {
    const folder = await mkdtemp(join(tmpdir(), "porchlight-key-"));
    const file = join(folder, "key");
    await writeFile(file, KEY);
    await open({ run: runFast(20), rate: 10_000, account: { key: `file:${file}` } });
    await visitor.send("before");
    await visitor.receives("echo: before");
    const key = harness.sandbox.rotateKey();
    const texts = ["one", "two", "three"];
    for (const text of texts) await visitor.send(text);
    await expect.poll(() => logged("account.paused").length).toBe(1);
    await visitor.next((frame) => frame.t === "status" && frame.delivery === "delayed");
    const refusals = incomingCalls().filter(({ status }) => status === 401);
    expect(refusals).toHaveLength(1);
    await writeFile(file, key);
    await visitor.receives("echo: three");
    expect(bodies()).toEqual(["before", ...texts]);
    expect(logged("delivery.failed")).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it("with a redirect is called again at its own address: no other server gets the key (4.13-28; R-003)", async () => {
    const seen: string[] = [];
    const elsewhere = createServer(({ url = "" }, response) => {
      seen.push(url);
      response.end("{}");
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    await open({ run: runFast(20) });
    const { port } = elsewhere.address() as AddressInfo;
    harness.sandbox.configure({ redirectOnce: `http://127.0.0.1:${port}/v1/incoming_custom_channel_message` });
    await visitor.send("stay here");
    await visitor.receives("echo: stay here");
    expect([seen, logged("account.paused").length, logged("delivery.failed")]).toEqual([[], 1, []]);
    await new Promise((resolve) => elsewhere.close(resolve));
  });

  it("with a proxy's error page is called again with the same key (4.13-29; R-012)", async () => {
    await open({ run: runFast(20) });
    harness.sandbox.failNext("incoming", 1, { kind: "htmlError", status: 403 });
    await visitor.send("through the proxy");
    await expect.poll(() => logged("account.blocked").length).toBe(1);
    await visitor.receives("echo: through the proxy");
    expect([logged("account.paused"), logged("delivery.failed"), bodies()]).toEqual([[], [], ["through the proxy"]]);
  });

  it.each([408, 425, 500, 502, 503, 504])("with %i is called again (R-012, R-462)", async (status) => {
    await open();
    harness.sandbox.failNext("incoming", 1, status);
    await visitor.send("soon");
    await visitor.receives("echo: soon");
    expect([incomingCalls().map((request) => request.status), logged("delivery.failed")]).toEqual([[status, 200], []]);
  });

  it.each([405, 413, 415, 422])(
    "with %i refuses that message permanently (R-012, R-411, R-701, R-805)",
    async (status) => {
      await open();
      harness.sandbox.failNext("incoming", 1, status);
      await visitor.send("never");
      await visitor.sees((message) => message.from === "visitor" && message.state === "failed");
      expect(incomingCalls().map((request) => request.status)).toEqual([status]);
    },
  );

  it.each(["json", "string", "html", "empty"] as const)(
    "with an error whose body is %s is understood by its status (R-006, R-501)",
    async (errorBody) => {
      await open({ sandbox: { errorBody } });
      harness.sandbox.failNext("incoming", 1, 500);
      harness.sandbox.failNext("incoming", 1, 400);
      await visitor.send("refused at last");
      await visitor.sees((message) => message.from === "visitor" && message.state === "failed");
      expect(incomingCalls().map(({ status }) => status)).toEqual([500, 400]);
    },
  );

  it.each(["general", "string", "plain", "observed"] as const)(
    "with an error of the shape %s is understood by its status (R-501)",
    async (errorShape) => {
      await open({ sandbox: { errorShape } });
      harness.sandbox.failNext("incoming", 1, 503);
      harness.sandbox.failNext("incoming", 1, 422);
      await visitor.send("refused at last");
      await visitor.sees((message) => message.from === "visitor" && message.state === "failed");
      expect(incomingCalls().map(({ status }) => status)).toEqual([503, 422]);
    },
  );

  it("with an error inside a 200 refuses that message permanently (R-007)", async () => {
    await open({ sandbox: { soft200Errors: true, maxBodyChars: 10 } });
    await visitor.send("longer than ten characters");
    await visitor.sees((message) => message.from === "visitor" && message.state === "failed");
    await visitor.send("short");
    await visitor.receives("echo: short");
  });
});

describe("the service's address (4.13-27; R-001, R-002, R-901)", () => {
  const start = async (SERVICE_URL: string, more: Record<string, string> = {}) => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), "porchlight-address-"));
    try {
      const relay = await runInside({ PORT: "0", HOST: "127.0.0.1", DATA_DIR, SERVICE_URL, ...more });
      await relay.stop();
      return relay.lines.join("\n");
    } finally {
      await rm(DATA_DIR, { recursive: true });
    }
  };

  it("must not be plain http on another machine: the relay does not start, and says what to do", async () => {
    await expect(start("http://service.example/v1")).rejects.toThrow(/plain http sends the key unencrypted/);
    expect(await start("http://service.example/v1", { ALLOW_INSECURE_SERVICE: "true" })).toContain("relay.insecure");
    expect(await start("https://service.example/v1")).not.toContain("relay.insecure");
    expect(await start("http://127.0.0.1:9/v1/")).toContain("relay.started");
  });
});
