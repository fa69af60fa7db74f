import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { setUp } from "./sandbox.fixture.ts";

/** Status of a request with exactly these headers, as a browser or a rebound DNS name sends them. */
const statusWith = (origin: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(origin);
    const ask = request({ port, path: "/__sandbox/state", host: "127.0.0.1", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    ask.on("error", reject).end();
  });

describe("the control API (BEHAVIOUR 4.12)", () => {
  it("is never served under the interface's base address", async () => {
    const { call, sandbox } = await setUp();
    expect((await call("GET", "/__sandbox/state")).status).toBe(404);
    expect((await fetch(`${sandbox.origin}/v1/__sandbox/state`)).status).toBe(404);
  });

  it("shows the state with secrets masked and without files' bytes", async () => {
    const { incoming, control, sandbox } = await setUp();
    await incoming({ mediaUrl: "data:text/plain;base64,aGVsbG8=", mediaContentType: "text/plain" });
    await sandbox.until(({ callbacks }) => callbacks().length === 1);
    const { status, body, text } = await control("GET", "/state");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      config: { apiKey: "***", userId: "***" },
      contacts: [{ fromId: "v_ada" }],
      messages: [
        { direction: "in", media: { type: "text/plain", size: 5 } },
        { direction: "out", status: "Sent" },
      ],
      counts: { requests: 1, callbacks: 1, incoming: 1, outgoing: 1 },
    });
    expect([sandbox.config.apiKey, sandbox.config.userId].filter((secret) => text.includes(secret))).toEqual([]);
  });

  it("lists requests, callbacks, messages and replies, and a limit keeps the newest", async () => {
    const { incoming, control, sandbox } = await setUp();
    for (const fromId of ["v_ada", "v_grace"]) await incoming({ fromId });
    await sandbox.until(({ callbacks }) => callbacks().length === 2);
    for (const path of ["/requests", "/callbacks", "/messages", "/outgoing"]) {
      expect([path, (await control("GET", path)).body]).toEqual([path, [expect.anything(), expect.anything()]]);
    }
    expect((await control("GET", "/messages?fromId=v_grace")).body).toMatchObject([{ fromId: "v_grace" }]);
    expect((await control("GET", "/requests?limit=1")).body).toHaveLength(1);
  });

  it("lists every option with its allowed values, and changes options live", async () => {
    const { control, incoming, client, sandbox } = await setUp();
    const { body } = await control("GET", "/config");
    const { options } = body as { options: { name: string; allowed: string; help: string }[] };
    expect(options.find(({ name }) => name === "existingStatus")?.allowed).toBe('200, 201, 409, "soft409"');
    expect(options.every(({ allowed, help }) => allowed !== "" && help !== "")).toBe(true);
    expect((await control("PATCH", "/config", { botScript: "rtl" })).status).toBe(200);
    await incoming();
    await sandbox.until(() => client.received.length === 1);
    expect(client.bodies()[0]?.body).toMatch(/שלום/);
  });

  it("refuses unknown options and wrong values by name, and changes nothing", async () => {
    const { control, sandbox } = await setUp();
    expect(await control("PATCH", "/config", { nonsense: 1 })).toMatchObject({
      status: 400,
      text: expect.stringContaining("nonsense"),
    });
    for (const patch of [
      { createStatus: 204 },
      { latencyMs: -1 },
      { botScript: "parrot" },
      { callbackUrl: "ftp://x" },
    ]) {
      const [name = ""] = Object.keys(patch);
      const { status, text } = await control("PATCH", "/config", { rateLimit: 7, ...patch });
      expect([status, text.includes(name)]).toEqual([400, true]);
    }
    expect(sandbox.config.rateLimit).toBe(0);
  });

  it("refuses a body that is not declared as JSON, and changes nothing", async () => {
    const { sandbox } = await setUp();
    const said = await fetch(`${sandbox.origin}/__sandbox/config`, { method: "PATCH", body: '{"rateLimit":7}' });
    expect([said.status, await said.json()]).toEqual([400, { error: "Content-Type must be application/json" }]);
    expect(sandbox.config.rateLimit).toBe(0);
  });

  it("seeds, replies, follows up, calls back to unknown ids, redelivers and switches the bot", async () => {
    const { control, incoming, client, sandbox } = await setUp({ botActive: false });
    const seed = { lists: ["leads"], subAccounts: [{ email: "a@b.example", balance: 3 }], campaigns: { p: "echo" } };
    expect((await control("POST", "/seed", seed)).status).toBe(200);
    expect(sandbox.state()).toMatchObject({
      lists: { leads: [] },
      campaigns: { p: "echo" },
      subAccounts: [{ balance: 3 }],
    });
    await incoming();
    const { contactId } = sandbox.messages()[0] ?? {};
    const human = await control("POST", "/human-reply", { contactId, body: "Hi" });
    expect(human.body).toMatchObject({ status: "Sent", origin: "human" });
    const { messageId } = human.body as { messageId: string };
    expect((await control("POST", "/redeliver", { messageId })).body).toMatchObject({ messageId, attempts: 2 });
    expect((await control("POST", "/follow-up", { fromId: "v_ada", body: "Still there?" })).body).toMatchObject({
      origin: "followUp",
    });
    expect((await control("POST", "/callback-to", { toId: "x", body: "y" })).body).toMatchObject({ ok: true });
    expect(client.bodies().at(-1)).toMatchObject({ toId: "x", body: "y" });
    await control("POST", "/bot", { fromId: "v_ada", active: true });
    await incoming({ body: "bot?" });
    await sandbox.until(() => client.bodies().at(-1)?.body === "echo: bot?");
  });

  it("answers invalid operations with 400 or 404 and a sentence", async () => {
    const { control } = await setUp();
    const wrong: [string, unknown, number][] = [
      ["/human-reply", { body: "hi" }, 400],
      ["/human-reply", { fromId: "v_nobody", body: "hi" }, 404],
      ["/human-reply", { fromId: 7, body: "hi" }, 400],
      ["/follow-up", { fromId: "v_nobody" }, 400],
      ["/callback-to", {}, 400],
      ["/redeliver", { messageId: "nothing" }, 404],
      ["/recharge", {}, 400],
      ["/spend", { email: "nobody@b.example", amount: 1 }, 404],
      ["/fail-next", { route: "nowhere", status: 500 }, 400],
      ["/seed", { campaigns: { p: "parrot" } }, 400],
      ["/seed", [], 400],
      ["/seed", { lists: "leads" }, 400],
      ["/seed", { subAccounts: [{ balance: 1 }] }, 400],
      ["/seed", { campaigns: ["p"] }, 400],
      ["/recharge", { email: "a@b.example", repeat: "often" }, 400],
      ["/nothing", {}, 404],
    ];
    for (const [path, body, status] of wrong) {
      const answer = await control("POST", path, body);
      expect([path, answer.status, answer.body]).toEqual([path, status, { error: expect.any(String) }]);
    }
  });

  it("scripts faults, rotates the key, recharges, spends and waits", async () => {
    const { control, incoming, sandbox, client } = await setUp({ rechargeDestination: "replyUrl" });
    await control("POST", "/fail-next", { route: "incoming", n: 1, status: 503, when: "after" });
    await control("POST", "/fail-next", { route: "incoming", fault: { kind: "htmlError" } });
    expect([(await incoming()).status, (await incoming()).status]).toEqual([503, 502]);
    const { apiKey } = (await control("POST", "/rotate-key")).body as { apiKey: string };
    expect(sandbox.config.apiKey).toBe(apiKey);
    const waited = control("POST", "/wait", { fromId: "v_ada", messages: 2, sent: 2, timeoutMs: 5_000 });
    await incoming();
    expect((await waited).body).toEqual({ messages: 2, sent: 2 });
    sandbox.seed({ subAccounts: [{ email: "a@b.example", balance: 6, threshold: 5 }] });
    expect((await control("POST", "/recharge", { email: "a@b.example" })).body).toMatchObject({
      deliveries: [{ ok: true }],
    });
    expect((await control("POST", "/spend", { email: "a@b.example", amount: 2 })).body).toMatchObject({
      email: "a@b.example",
    });
    expect(client.received).toHaveLength(4);
  });

  it("reports when a wait times out", async () => {
    const { control } = await setUp();
    expect((await control("POST", "/wait", { messages: 1, timeoutMs: 10 })).status).toBe(500);
  });

  it("advances virtual time", async () => {
    const { control, incoming, client, sandbox } = await setUp({ clock: "virtual", botScript: "slow" });
    await incoming();
    await control("POST", "/clock/advance", { ms: 24_999 });
    expect(client.received).toHaveLength(0);
    await control("POST", "/clock/advance", { ms: 15_001 });
    await sandbox.until(() => client.received.length === 1);
  });

  it("resets to its start: no data, no scripted faults, the given options", async () => {
    const { control, incoming, sandbox } = await setUp({ botScript: "silent" });
    const key = sandbox.config.apiKey;
    sandbox.seed({ lists: ["leads"] });
    sandbox.failNext("*", 5, 500);
    sandbox.configure({ profile: "lenient", botScript: "burst" });
    sandbox.rotateKey();
    expect((await control("POST", "/reset")).status).toBe(200);
    expect(sandbox.config).toMatchObject({ botScript: "silent", profile: "strict", apiKey: key, createStatus: 201 });
    expect(sandbox.state()).toMatchObject({ contacts: [], lists: {}, counts: { requests: 0, incoming: 0 } });
    expect((await incoming({ messageSid: "same" })).status).toBe(200);
  });

  it("refuses pages of other origins and rebound DNS names", async () => {
    const { sandbox } = await setUp();
    const { host } = new URL(sandbox.origin);
    const refused = [
      { Host: host, "Sec-Fetch-Site": "cross-site" },
      { Host: host, "Sec-Fetch-Site": "same-site" },
      { Host: host, Origin: "https://evil.example" },
      { Host: host, Origin: "null" },
      { Host: "evil.example" },
    ];
    for (const headers of refused) expect([headers, await statusWith(sandbox.origin, headers)]).toEqual([headers, 403]);
    expect(await statusWith(sandbox.origin, { Host: host, Origin: `http://${host}` })).toBe(200);
  });

  it("allows other host names when openControl is on, but still no page of another origin", async () => {
    const { sandbox } = await setUp({}, { openControl: true });
    expect(await statusWith(sandbox.origin, { Host: "sandbox:8788" })).toBe(200);
    expect(await statusWith(sandbox.origin, { Host: "sandbox:8788", Origin: "https://evil.example" })).toBe(403);
  });
});
