import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, KEY, NO_RANDOM_FAULTS, NO_UNKNOWN_OUTCOMES, startHarness } from "./harness.ts";
import { startReceiver, WEBHOOK_SECRET } from "./receiver.ts";
import { porchlight as run } from "./shell.ts";
import { caller } from "./tokens.ts";

let harness: Harness;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let visitor: string;
const EMAIL = "client@agency.example";

const porchlight = (args: string[], env: Record<string, string> = {}) => run(harness, args, env);
const json = async (...args: string[]) => JSON.parse((await porchlight([...args, "--json"])).out);

beforeAll(async () => {
  receiver = await startReceiver(WEBHOOK_SECRET);
  const site = { webhook: { url: receiver.url, secret: "env:WEBHOOK_SECRET", events: ["delivery.failed"] } };
  harness = await startHarness({ sandbox: NO_UNKNOWN_OUTCOMES, env: { WEBHOOK_SECRET }, site });
  harness.sandbox.seed({ lists: ["leads"], subAccounts: [{ email: EMAIL }] });
  const someone = harness.visitor();
  await someone.greet();
  visitor = harness.sandbox.messages()[0]?.fromId ?? "";
});
afterAll(async () => {
  await harness.stop();
  await receiver.stop();
});

describe("the command line", () => {
  it("lists its commands, and exits with 2 for an unknown one", async () => {
    const help = await porchlight(["help"]);
    expect([help.code, help.out.includes("credits resolve"), help.out.includes("SERVICE_URL")]).toEqual([
      0,
      true,
      true,
    ]);
    expect(await porchlight(["dance"])).toMatchObject({ code: 2, err: expect.stringContaining("porchlight help") });
    expect(await porchlight(["credits"])).toMatchObject({ code: 2, err: expect.stringContaining("credits show") });
    const version = await porchlight(["--version"]);
    expect([version.code, version.out]).toEqual([0, expect.stringMatching(/^porchlight \d+\.\d+\.\d+ \(Node \d/)]);
    const about = await porchlight(["credits", "--help"]);
    expect([about.code, about.out.includes("credits grant"), about.out.includes("token")]).toEqual([0, true, false]);
    const failed = await porchlight(["send", "hi", "--json"]);
    expect(JSON.parse(failed.err)).toEqual({ error: expect.stringContaining("--user"), code: 2 });
    expect(await porchlight(["send", "hi"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--user or --visitor"),
    });
    expect(await porchlight(["serve"], { PORT: "no" })).toMatchObject({
      code: 2,
      err: expect.stringContaining("PORT"),
    });
  });

  it("creates a token that works at once, and revokes it", async () => {
    const { id, token } = await json("token", "add", "billing", "--scopes", "visitors:read");
    const call = caller(harness, token);
    expect((await call("GET", "/visitors")).status).toBe(200);
    expect((await call("GET", "/leads")).status).toBe(403);
    expect((await porchlight(["token", "list"])).out).toContain("billing");
    expect((await porchlight(["token", "list"])).out).not.toContain(token);
    await porchlight(["token", "revoke", id]);
    expect((await call("GET", "/visitors")).status).toBe(401);
  });

  it("reports problems with their remedies as doctor, and stores nothing at the service", async () => {
    // The doctor calls once, so a random fault at that moment would be a finding.
    harness.sandbox.configure(NO_RANDOM_FAULTS);
    const before = harness.sandbox.state().contacts.length;
    const local = await porchlight(["doctor"]);
    expect(local.code).toBe(3);
    expect(local.out).toMatch(/ok {4}key of account default/);
    expect(local.out).toMatch(/FAIL {2}callback address: PUBLIC_URL is not set/);
    // The running relay is checked, not the settings of this shell.
    expect((await porchlight(["doctor"], { SERVICE_API_KEY: "wrong" })).out).toMatch(/ok {4}key of account default/);
    await harness.halt();
    await harness.start({ SERVICE_API_KEY: "wrong" });
    const wrong = await porchlight(["doctor"]);
    await harness.halt();
    await harness.start();
    expect(wrong.out).toMatch(/FAIL {2}key of account default: [^\n]*401[^\n]*\n +Copy the key/);
    expect(harness.sandbox.state().contacts).toHaveLength(before);
    expect(local.out + wrong.out + wrong.err).not.toContain(KEY);
    harness.sandbox.configure(NO_UNKNOWN_OUTCOMES);
  });

  it("grants credits once per key through the running relay", async () => {
    const grant = ["credits", "grant", EMAIL, "12.50", "--key", "cli-1", "--note", "Invoice 7"];
    expect(await json(...grant)).toMatchObject({ key: "cli-1", state: "granted" });
    expect(await json(...grant)).toMatchObject({ key: "cli-1", state: "granted" });
    expect(harness.sandbox.state().grants).toHaveLength(1);
    expect((await porchlight(["credits", "grant", EMAIL, "13", "--key", "cli-1"])).code).toBe(1);
    expect((await porchlight(["credits", "show", "cli-1"])).out).toMatch(/queued +cli[\s\S]*calling[\s\S]*granted/);
  });

  it("resolves an unknown grant with a reason, and exits with 3 while one waits", async () => {
    harness.sandbox.failNext("credits", 1, { kind: "resetConnection", when: "after" });
    expect((await porchlight(["credits", "grant", EMAIL, "5", "--key", "cli-2"])).code).toBe(3);
    expect((await porchlight(["credits", "list"])).code).toBe(3);
    expect((await porchlight(["credits", "resolve", "cli-2", "--granted"])).code).toBe(2);
    const ended = await porchlight(["credits", "resolve", "cli-2", "--granted", "--reason", "in the history"]);
    expect([ended.code, ended.out.includes("granted")]).toEqual([0, true]);
    expect((await porchlight(["credits", "list"])).code).toBe(0);
  });

  it("sends a message, adds and finds a contact, puts it on a list, and lists the deliveries", async () => {
    expect(await json("send", "Hello from the desk", "--visitor", visitor)).toMatchObject({ state: "sent" });
    // These commands call once, and report a failure.
    harness.sandbox.configure(NO_RANDOM_FAULTS);
    const contact = await json("contact", "add", "--email", "ada@b.example", "--first-name", "Ada");
    expect(await json("contact", "find", "--email", "ada@b.example")).toEqual(contact);
    expect((await porchlight(["list", "add", "leads", contact.id])).code).toBe(0);
    expect(await porchlight(["list", "add", "nowhere", contact.id])).toMatchObject({ code: 1 });
    expect(harness.sandbox.state().lists.leads).toEqual([contact.id]);
    harness.sandbox.configure(NO_UNKNOWN_OUTCOMES);
    expect((await json("site")).addresses.reply).toContain("/callbacks/reply/");
    await expect.poll(() => json("deliveries")).toEqual([]);
  });

  it("sends a failed message and a refused event again, with and without a running relay", async () => {
    const someone = harness.visitor();
    await someone.connect();
    harness.sandbox.failNext("incoming", 1, 400);
    const { id } = await someone.send("refused once");
    await expect.poll(async () => (await json("deliveries", "--failed")).length).toBe(1);
    const [failed] = await json("deliveries", "--failed");
    const found = { message: id, state: "failed", attempts: 1, reason: "rejected" };
    expect(failed).toMatchObject({ ...found, error: expect.stringMatching(/^400: /) });
    const all = await porchlight(["deliveries"]);
    expect([all.code, all.out]).toEqual([
      3,
      expect.stringMatching(/TRIES.*LAST ERROR[\s\S]* failed +1 .*rejected: 400: /),
    ]);
    expect(await json("deliveries", "retry", failed.visitor, id)).toMatchObject({ running: true });
    await someone.receives("echo: refused once");
    expect((await porchlight(["deliveries", "retry", failed.visitor, id])).code).toBe(1);
    expect((await porchlight(["token", "list"])).out).not.toContain("command line");

    harness.sandbox.failNext("incoming", 1, 400);
    const other = await someone.send("refused too");
    await expect.poll(async () => (await json("deliveries", "--failed")).length).toBe(1);
    await someone.drop();
    await harness.halt();
    expect(await json("deliveries", "retry", failed.visitor, other.id)).toMatchObject({ running: false });
    await harness.start();
    await harness.sandbox.until(() => harness.sandbox.messages().some(({ body }) => body === "refused too"));

    // The receiver gets an event before the relay records its answer.
    await expect.poll(async () => (await json("webhooks", "--state", "delivered")).length).toBe(2);
    const [event] = await json("webhooks", "--state", "delivered");
    expect(event).toMatchObject({ type: "delivery.failed", status: 200, attempts: 1 });
    expect(await json("webhooks", "retry", event.id)).toEqual({ event: event.id, state: "waiting" });
    await expect.poll(() => receiver.events.filter(({ id }) => id === event.id).length).toBe(2);
    expect((await porchlight(["webhooks", "retry", "msg_none"])).code).toBe(1);
  });

  it("reports in doctor a webhook that refused an event twice, before the event counts as failed", async () => {
    const db = new DatabaseSync(join(harness.dataDir, "porchlight.db"));
    db.exec(`INSERT INTO events (id, site, type, body, at, state, attempts, due, status, problem)
      VALUES ('msg_refused', 'default', 'delivery.failed', '{}', 0, 'waiting', 2, 9000000000000, 0, 'ECONNREFUSED')`);
    const findings: { check: string }[] = await json("doctor");
    db.exec("DELETE FROM events WHERE id = 'msg_refused'");
    db.close();
    expect(findings.find(({ check }) => check === "webhook of site default")).toMatchObject({
      ok: false,
      found: "delivery.failed was not accepted in 2 tries (ECONNREFUSED), and is tried again",
    });
  });

  it("shows failed messages before waiting ones", async () => {
    const db = new DatabaseSync(join(harness.dataDir, "porchlight.db"));
    db.exec(`INSERT INTO visitors (id, site, created) VALUES ('a-waits', 'default', 0), ('z-failed', 'default', 0);
      INSERT INTO messages (visitor, pos, n, id, author, at, text)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 201)
        SELECT 'a-waits', i, i, 'w' || i, 'visitor', 0, '' FROM n;
      INSERT INTO outbox (visitor, turn, pos, account, due, expires)
        SELECT visitor, pos, pos, 'none', 9000000000000, 9000000000000 FROM messages WHERE visitor = 'a-waits';
      INSERT INTO messages (visitor, pos, n, id, author, at, text, state, reason)
        VALUES ('z-failed', 1, 1, 'f', 'visitor', 0, '', 'failed', 'rejected')`);
    const { code, out, err } = await porchlight(["deliveries", "--json"]);
    expect(err).toBe("");
    const [first, second] = JSON.parse(out) as { state: string }[];
    expect([code, first?.state, second?.state]).toEqual([3, "failed", "waiting"]);
    db.exec("DELETE FROM visitors WHERE id IN ('a-waits', 'z-failed')");
    db.close();
  });

  it("exports a site's data, and erases a visitor", async () => {
    const file = join(harness.dataDir, "site.ndjson");
    expect((await porchlight(["export", file])).code).toBe(0);
    const records = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records).toContainEqual(expect.objectContaining({ record: "message", text: "echo: hello" }));
    expect(records).toContainEqual(
      expect.objectContaining({ record: "sent", text: "Hello from the desk", state: "sent" }),
    );
    expect(records).toContainEqual(expect.objectContaining({ record: "grant", key: "cli-1", state: "granted" }));
    expect(records).toContainEqual(expect.objectContaining({ record: "event", type: "delivery.failed" }));
    expect((await porchlight(["export", file])).code).toBe(2);
    expect((await porchlight(["erase", visitor])).code).toBe(2);
    expect((await porchlight(["erase", visitor, "--yes"])).code).toBe(0);
    expect((await porchlight(["erase", visitor, "--yes"])).code).toBe(1);
  });
});
