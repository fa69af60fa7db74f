import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configFrom, fileFrom, manual, optionsIn, tlsFrom } from "./main.ts";
import { DEFAULT_KEY, OPTIONS } from "./options.ts";
import { setUp } from "./sandbox.fixture.ts";
import { startSandbox } from "./server.ts";

describe("startSandbox", () => {
  it("listens on a free port, returns its addresses and frees the port when closed", async () => {
    const first = await startSandbox();
    expect(first.url).toBe(`${first.origin}/v1`);
    await first.close();
    const again = await startSandbox({ port: Number(new URL(first.origin).port) });
    await again.close();
  });

  it("refuses a busy port and a wrong option at once", async () => {
    const first = await startSandbox();
    await expect(startSandbox({ port: Number(new URL(first.origin).port) })).rejects.toThrow("EADDRINUSE");
    await expect(startSandbox({ config: { rateLimit: -1 } })).rejects.toThrow("rateLimit cannot be -1");
    await first.close();
  });

  it("closes while requests hang and streams are open", async () => {
    const { sandbox, incoming } = await setUp();
    sandbox.failNext("incoming", 1, "hangRequest");
    const hanging = incoming().catch(() => "gone");
    const events = await fetch(`${sandbox.origin}/inbox/events`);
    await sandbox.until(({ requests }) => requests().length === 1);
    await sandbox.close();
    expect(await hanging).toBe("gone");
    await events.text().catch(() => {});
  });

  it("has `until`, which waits for changes, reports a timeout, and rejects with errors of its condition", async () => {
    const { sandbox, incoming } = await setUp();
    const seen = sandbox.until(({ messages }) => messages().length === 2, 5_000);
    await incoming();
    await incoming();
    await seen;
    await expect(sandbox.until(() => false, 10)).rejects.toThrow("within 10 ms");
    const broken = sandbox.until(({ messages }) => {
      if (messages().length === 3) throw new Error("broken");
      return false;
    });
    const caught = broken.catch((error: Error) => error.message);
    await incoming();
    expect(await caught).toBe("broken");
  });

  it("makes the same ids with the same seed, and different ids without one", async () => {
    const ids = async (seed: number | null) => {
      const { incoming } = await setUp({ seed });
      return (await incoming()).text;
    };
    expect(await ids(5)).toBe(await ids(5));
    expect(await ids(null)).not.toBe(await ids(null));
  });

  it("keeps the newest entries of its journals and every message", async () => {
    const { sandbox, incoming } = await setUp({ journalSize: 3 });
    for (let i = 0; i < 10; i++) await incoming({ body: `${i}` });
    await sandbox.until(({ counts }) => counts().callbacks === 10);
    expect([sandbox.requests().length, sandbox.callbacks().length, sandbox.messages().length]).toEqual([3, 3, 10]);
    expect(sandbox.requests().at(-1)?.body).toMatchObject({ customData: { body: "9" } });
    expect(sandbox.counts().requests).toBe(10);
  });

  it("accepts hundreds of messages at once without losing or duplicating one", async () => {
    const { sandbox, incoming, client } = await setUp();
    await Promise.all(Array.from({ length: 300 }, (_, i) => incoming({ fromId: `v_${i % 20}`, body: `${i}` })));
    await sandbox.until(() => client.received.length === 300, 20_000);
    expect(new Set(client.bodies().map(({ body }) => body)).size).toBe(300);
  });
});

describe("profiles", () => {
  it("strict is the default of every option; a profile overrides it, and a patch overrides the profile", async () => {
    const { sandbox } = await setUp({ profile: "lenient", createStatus: 201 });
    expect(sandbox.config).toMatchObject({ phoneStrictness: "strip", createStatus: 201 });
    sandbox.configure({ profile: "strict" });
    expect(sandbox.config).toMatchObject({ phoneStrictness: "e164", createStatus: 201, acceptForm: false });
  });

  it("lenient accepts national prefixes, files without text and keys in the wrong place", async () => {
    const { call, incoming, sandbox } = await setUp({ profile: "lenient" });
    const { apiKey } = sandbox.config;
    const contact = await call("POST", "/contacts", { body: { phone: "0047 912 34 567", email: "anything" } });
    expect(contact).toMatchObject({ status: 200, body: { phone: "+4791234567" } });
    const media = { mediaUrl: "data:text/plain;base64,aGVsbG8=", mediaContentType: "text/plain" };
    expect((await incoming({ body: "", ...media })).status).toBe(200);
    const credits = await call("POST", "/subaccounts/credits", { key: null, query: { apiKey }, body: {} });
    expect(credits.status).toBe(400);
  });

  it("observed answers in the shapes of real services", async () => {
    const { call, incoming } = await setUp({ profile: "observed" });
    const create = () => call("POST", "/contacts", { body: { phone: "+4791234567" } });
    const first = await create();
    const { contactId } = first.body as { contactId: string };
    expect(first).toMatchObject({ status: 200, body: { success: true, contactId } });
    expect((await create()).body).toMatchObject({ success: false, error_code: 409, contactId });
    const found = await call("GET", "/contacts", { query: { phoneNumber: "+4791234567" } });
    expect(found.body).toMatchObject({
      success: true,
      contactId,
      contact: { phoneNumber: "+4791234567", firstName: "Unknown", email: "unknown@unknown.com" },
    });
    const nobody = await call("GET", "/contacts", { query: { email: "nobody@b.example" } });
    expect([nobody.status, nobody.body]).toEqual([404, { success: false, message: "Contact not found" }]);
    const unauthorised = await call("GET", "/contacts", { key: "wrong" });
    expect([unauthorised.status, unauthorised.text, unauthorised.body]).toEqual([
      401,
      "Invalid or missing API key",
      undefined,
    ]);
    expect((await incoming({ toId: "" })).body).toEqual({ error: expect.any(String) });
  });

  it("chaos fails at random, but a client that repeats the same messageSid delivers each message once", {
    timeout: 60_000,
  }, async () => {
    const { incoming, sandbox, client } = await setUp({ profile: "chaos" });
    let failures = 0;
    const sendUntilAccepted = async (messageSid: string) => {
      for (;;) {
        const answer = await incoming({ messageSid, fromId: messageSid, body: messageSid }).catch(() => undefined);
        if (answer?.status === 200 && answer.body !== undefined) return;
        failures += 1;
      }
    };
    const sids = Array.from({ length: 120 }, (_, i) => `m-${i}`);
    await Promise.all(sids.map(sendUntilAccepted));
    expect(failures).toBeGreaterThan(5);
    await sandbox.until(
      () => sandbox.outgoing().filter(({ status }) => status === "Sent").length === 120 && client.received.length > 120,
    );
    expect(
      sandbox
        .messages()
        .map(({ body }) => body)
        .sort(),
    ).toEqual([...sids].sort());
    expect(sandbox.outgoing()).toHaveLength(120);
    expect(client.received.length).toBeGreaterThan(120);
  });
});

describe("the environment", () => {
  it("sets any option, as JSON or as text, and answers as the shop's assistant by default", () => {
    const config = configFrom({
      SANDBOX_CALLBACK_URL: "http://127.0.0.1:8787/callbacks/reply/s",
      SANDBOX_PROFILE: "observed",
      SANDBOX_API_KEY: "12345",
      SANDBOX_RATE_LIMIT: "0",
      SANDBOX_BOT_DELAY_MS: '{"min":1,"max":2}',
      SANDBOX_ALLOW_HTTP_MEDIA: "true",
      SANDBOX_USER_ID: "",
      PATH: "/bin",
    });
    expect(config).toEqual({
      callbackUrl: "http://127.0.0.1:8787/callbacks/reply/s",
      profile: "observed",
      apiKey: "12345",
      rateLimit: 0,
      botDelayMs: { min: 1, max: 2 },
      allowHttpMedia: true,
      botScript: "faq",
    });
    expect(configFrom({ SANDBOX_BOT: "burst" })).toEqual({ botScript: "burst" });
    expect(configFrom({ SANDBOX_BOT: '[{"parts":[{"text":"Hi"}]}]' })).toEqual({
      botScript: [{ parts: [{ text: "Hi" }] }],
    });
  });

  it("accepts the same settings as flags, and --help lists every option", () => {
    const { env } = optionsIn(["--profile", "chaos", "--rate-limit=0", "--bot", "burst", "--port", "0"]);
    expect(env.SANDBOX_PORT).toBe("0");
    expect(configFrom(env)).toEqual({ profile: "chaos", rateLimit: 0, botScript: "burst" });
    expect(() => optionsIn(["--colour", "red"])).toThrow("--colour");
    expect(optionsIn(["--help"]).help).toBe(true);
    const help = manual();
    expect(Object.values(OPTIONS).filter((option) => !help.includes(option.help))).toEqual([]);
    expect(help).toContain('"strict", "lenient", "observed", "chaos"');
  });

  it("reads the certificate and its key for https from files, and names a missing one", () => {
    const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    writeFileSync(cert, "certificate");
    writeFileSync(key, "its key");
    const { env } = optionsIn(["--tls-cert", cert, "--tls-key", key]);
    expect(tlsFrom(env)).toEqual({ cert: "certificate", key: "its key" });
    expect(tlsFrom({})).toBeUndefined();
    expect(() => tlsFrom({ SANDBOX_TLS_CERT: cert })).toThrow("SANDBOX_TLS_KEY: https needs both files");
    expect(() => tlsFrom({ ...env, SANDBOX_TLS_KEY: `${key}.gone` })).toThrow("SANDBOX_TLS_KEY: ENOENT");
    rmSync(folder, { recursive: true });
  });

  it("reads options and seed data from a file; the environment overrides it (R-244)", () => {
    const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
    const file = join(folder, "sandbox.json");
    const seed = { lists: ["leads"], subAccounts: [{ email: "a@b.example" }], campaigns: { sales: "echo" } };
    writeFileSync(file, JSON.stringify({ profile: "lenient", rateLimit: 5, ...seed }));
    const env = { SANDBOX_CONFIG: file, SANDBOX_RATE_LIMIT: "9" };
    expect(configFrom(env)).toEqual({ profile: "lenient", rateLimit: 9, botScript: "faq" });
    expect(fileFrom(env).seed).toEqual(seed);
    writeFileSync(file, "[]");
    expect(() => configFrom(env)).toThrow("sandbox.json: it must contain a JSON object");
    expect(() => configFrom({ SANDBOX_CONFIG: `${file}.gone` })).toThrow("SANDBOX_CONFIG");
    rmSync(folder, { recursive: true });
  });

  it("reports its random seed, and the same seed repeats the same faults", async () => {
    const sandboxOfSeed = await startSandbox({ config: { profile: "chaos" } });
    const { seed } = sandboxOfSeed.config;
    await sandboxOfSeed.close();
    expect(seed).toEqual(expect.any(Number));
    const runs = [];
    for (const _ of [1, 2]) {
      const { sandbox, incoming } = await setUp({ profile: "chaos", latencyMs: 0, rateLimit: 0, seed });
      const statuses: number[] = [];
      for (let i = 0; i < 200; i++)
        statuses.push(
          await incoming({ messageSid: `m${i}` }).then(
            (r) => r.status,
            () => 0,
          ),
        );
      runs.push(statuses.join(" "));
      await sandbox.close();
    }
    expect(runs[0]).toBe(runs[1]);
    expect(runs[0]).toMatch(/\b(0|50[023])\b/);
  });

  it("names the option whose value is not allowed", () => {
    expect(() => configFrom({ SANDBOX_PROFILE: "kind" })).toThrow('profile cannot be "kind"; allowed: "strict"');
    expect(DEFAULT_KEY).toMatch(/[+/=&]/);
  });
});
