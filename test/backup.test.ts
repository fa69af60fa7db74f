import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realClock } from "../relay/src/base/clock.ts";
import { openSpool } from "../relay/src/db/spool.ts";
import { png } from "../relay/src/files/samples.fixture.ts";
import { type FakeBucket, startBucket } from "./bucket.ts";
import { type Harness, KEY, startHarness } from "./harness.ts";
import { type Env, type Running, runAt, runInside, runProcess } from "./relays.ts";
import { porchlight } from "./shell.ts";
import { upload } from "./uploads.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

let harness: Harness;
let folder: string;
let restored: Running | undefined;
const EMAIL = "client@agency.example";

beforeEach(async () => {
  harness = await startHarness();
  harness.sandbox.seed({ subAccounts: [{ email: EMAIL }] });
  folder = join(mkdtempSync(join(tmpdir(), "porchlight-")), "backup");
});
afterEach(async () => {
  await restored?.stop();
  restored = undefined;
  await harness.stop();
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

/** Starts a relay on the backup, in place of the first relay. */
async function restore(more: Env = {}): Promise<string> {
  await harness.halt();
  const env: Env = {
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: folder,
    SERVICE_URL: harness.sandbox.url,
    SERVICE_API_KEY: KEY,
    CALLBACK_SECRET: harness.callbackUrl.split("/").at(-1) ?? "",
    ALLOWED_ORIGINS: harness.host,
    ...more,
  };
  restored = await runInside(env);
  return `http://127.0.0.1:${restored.port}`;
}

async function chat(): Promise<Visitor> {
  const visitor = harness.visitor();
  await visitor.connect();
  await say(visitor, "hello");
  return visitor;
}

/** Sends a text. Resolves when the relay has stored the service's answer and the reply, which come in either order. */
async function say(visitor: Visitor, text: string, media?: string): Promise<void> {
  const { id } = await visitor.send(text, undefined, media === undefined ? {} : { media });
  await visitor.receives(`echo: ${text}`);
  await visitor.sees((message) => message.id === id && message.from === "visitor" && message.state === "delivered");
}

it("a backup contains everything that a relay needs to continue: thread, session, files, secrets and spools", async () => {
  const visitor = await chat();
  const { answer } = await upload(harness, visitor, png(3, 2));
  await visitor.send("with a picture", undefined, { media: answer.key });
  const token = visitor.token() ?? "";
  openSpool(harness.dataDir, "recharges").append({
    account: "default",
    event: { key: "r-1", email: EMAIL, amount: 5 },
  });

  const made = await porchlight(harness, ["backup", folder, "--json"]);
  expect(made).toMatchObject({ code: 0, err: "" });
  expect(JSON.parse(made.out)).toMatchObject({ files: 1, database: true, elsewhere: [] });
  expect(statSync(folder).mode & 0o077).toBe(0);
  // The relay logs a backup before it copies, so the audit log also shows a backup that failed.
  const begun = { actor: "cli", action: "backup", subject: `to ${folder}: begun` };
  expect(auditOf(folder)).toEqual([begun]);
  expect(auditOf(harness.dataDir)).toEqual([
    begun,
    { ...begun, subject: `to ${folder}: database of 1 visitor, 1 file` },
  ]);
  for (const name of ["porchlight.db", "secrets.json", "recharges.spool"])
    expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);

  const url = await restore();
  const back = createVisitor(url, { origin: harness.host, token });
  await back.connect();
  expect(back.log().map(({ text }) => text)).toEqual(
    expect.arrayContaining(["hello", "echo: hello", "with a picture"]),
  );
  const file = await fetch(`${url}${answer.url}`);
  expect(Buffer.from(await file.arrayBuffer()).equals(Buffer.from(png(3, 2)))).toBe(true);
  const grants = await porchlight(harness, ["credits", "show", "r-1", "--json"], { DATA_DIR: folder });
  expect(JSON.parse(grants.out)).toMatchObject({ key: "r-1", state: "waiting", amount: 5 });
  await back.drop();
});

it("a restored backup leaves pending calls to a person, because they may have been made since the backup", async () => {
  harness.sandbox.failNext("credits", 50, 429);
  await porchlight(harness, ["credits", "grant", EMAIL, "5", "--key", "g-1", "--wait", "0"]);
  expect((await porchlight(harness, ["backup", folder])).code).toBe(0);
  await restore();
  const listed = await porchlight(harness, ["credits", "list", "--json"], { DATA_DIR: folder });
  expect(listed.code).toBe(3);
  expect(JSON.parse(listed.out)).toMatchObject([{ key: "g-1", state: "unknown" }]);
  expect(harness.sandbox.state().grants).toEqual([]);
});

it("grants nothing automatically after a restore until a person has compared the ledger, which lacks newer keys", async () => {
  await harness.stop();
  harness = await startHarness({ account: { credits: { mode: "auto", allow: [EMAIL] } } });
  harness.sandbox.seed({ subAccounts: [{ email: EMAIL }] });
  const config = { PORCHLIGHT_CONFIG: join(harness.dataDir, "sites.json") };
  const recharge = (url: string, key: string) =>
    fetch(url, { method: "POST", body: JSON.stringify({ idempotency_key: key, email: EMAIL, amount: 5 }) });
  // At the backup, the entry is only in the spool; the first relay may grant it later.
  openSpool(harness.dataDir, "recharges").append({
    account: "default",
    event: { key: "r-spooled", email: EMAIL, amount: 5 },
  });
  expect((await porchlight(harness, ["backup", folder], config)).code).toBe(0);
  const address = harness.callbackUrl.replace("/reply/", "/recharge/");
  await recharge(address, "r-since");
  await harness.sandbox.until(() => harness.sandbox.state().grants.length === 1);

  const url = await restore(config);
  await recharge(`${url}${new URL(address).pathname}`, "r-since");
  const run = (...args: string[]) => porchlight(harness, args, { ...config, DATA_DIR: folder });
  const restored = expect.stringContaining("restored from a backup");
  expect(JSON.parse((await run("credits", "list", "--json")).out)).toMatchObject([
    { key: "r-since", state: "waiting", reason: restored },
    { key: "r-spooled", state: "unknown", reason: restored },
  ]);
  expect((await run("doctor")).out).toContain("porchlight credits trust");
  expect((await run("credits", "trust", "--reason", "compared")).code).toBe(0);
  expect((await run("credits", "trust", "--reason", "again")).code).toBe(1);
  await run("credits", "resolve", "r-spooled", "--not-granted", "--reason", "not in the history");
  expect((await run("credits", "approve", "r-spooled", "--reason", "so it may go")).code).toBe(0);
  await harness.sandbox.until(() => harness.sandbox.state().grants.length === 2);
  expect((await run("doctor")).out).not.toContain("credits trust");
});

/** Every row of every table, without the epoch: a restored relay has another one, so that clients do not resume the old log. */
function rowsOf(file: string): Record<string, unknown[]> {
  const db = new DatabaseSync(file);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all() as {
    name: string;
  }[];
  const rows = tables.map(({ name }) => [
    name,
    db.prepare(`SELECT * FROM ${name} ${name === "meta" ? "WHERE name <> 'epoch'" : ""}`).all(),
  ]);
  db.close();
  return Object.fromEntries(rows) as Record<string, unknown[]>;
}

/** The entries of the audit log in a data folder, oldest first. */
function auditOf(dataDir: string): { actor: string; action: string; subject: string }[] {
  const db = new DatabaseSync(join(dataDir, "porchlight.db"), { readOnly: true });
  const rows = db.prepare("SELECT actor, action, subject FROM audit ORDER BY rowid").all();
  db.close();
  return rows.map((row) => ({ ...row })) as ReturnType<typeof auditOf>;
}

describe("scheduled backups", () => {
  let bucket: FakeBucket;
  beforeEach(async () => {
    bucket = await startBucket();
  });
  afterEach(() => bucket.stop());
  const inBucket = () => ({
    BACKUP_TO: bucket.url,
    S3_ACCESS_KEY_ID: bucket.keyId,
    S3_SECRET_ACCESS_KEY: bucket.secret,
  });

  it("in a bucket: a killed and restored relay has every row and every file as before", async () => {
    await harness.stop();
    harness = await startHarness({ run: runProcess, env: inBucket() });
    const visitor = await chat();
    const { answer } = await upload(harness, visitor, png(3, 2));
    await say(visitor, "with a picture", answer.key);
    const token = visitor.token() ?? "";
    await visitor.drop();
    const run = await porchlight(harness, ["backup", "run", "--json"]);
    expect(run).toMatchObject({ code: 0, err: "" });
    const { name } = JSON.parse(run.out) as { name: string };
    await harness.kill();

    const fetched = await porchlight(harness, ["backup", "fetch", name, folder], inBucket());
    expect(fetched).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^No relay runs on \S+, so the settings are/),
    });
    const restored = rowsOf(join(folder, "porchlight.db"));
    const before = rowsOf(join(harness.dataDir, "porchlight.db"));
    expect(before.messages).toHaveLength(4);
    // The relay's own statistics continue after the backup, as does the audit log.
    for (const table of Object.keys(before).filter((each) => each !== "series" && each !== "audit"))
      expect(restored[table], table).toEqual(before[table]);
    expect(restored.audit).toEqual([]);
    const begun = { actor: "cli", action: "backup fetch", subject: `${name} to ${folder}: begun` };
    expect(auditOf(harness.dataDir)).toEqual([
      { actor: "cli", action: "backup run", subject: `${name}: 1 file` },
      begun,
      { ...begun, subject: `${name} to ${folder}: 4 files` },
    ]);
    expect(statSync(join(folder, "secrets.json")).mode & 0o077).toBe(0);

    const url = await restore();
    const back = createVisitor(url, { origin: harness.host, token });
    await back.connect();
    expect(back.log().map(({ text }) => text)).toContain("echo: with a picture");
    expect(Buffer.from(await (await fetch(`${url}${answer.url}`)).bytes()).equals(Buffer.from(png(3, 2)))).toBe(true);
    await back.drop();
  });

  it("in a bucket: only the newest are kept, and only complete ones are listed", async () => {
    await harness.stop();
    let days = 0;
    const clock = { ...realClock, now: () => Date.now() + days * 86_400_000 };
    harness = await startHarness({ run: (env) => runAt(env, clock), env: { ...inBucket(), BACKUP_KEEP: "2" } });
    const names = async () =>
      (JSON.parse((await porchlight(harness, ["backup", "list", "--json"])).out) as { name: string }[]).map(
        ({ name }) => name,
      );
    // The first one is made automatically.
    await expect.poll(async () => (await names()).length).toBe(1);
    const [first = ""] = await names();
    for (let n = 0; n < 2; n++) {
      days++;
      expect(await porchlight(harness, ["backup", "run"])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^porchlight-\w+ has the secrets, spools, database, and \d+ files?\.$/m),
      });
    }
    const kept = await names();
    expect(kept).toHaveLength(2);
    expect(kept).not.toContain(first);
    expect([...bucket.objects.keys()].filter((key) => key.includes(first))).toEqual([]);
    bucket.failing(true);
    days++;
    expect((await porchlight(harness, ["backup", "run"])).code).toBe(1);
    bucket.failing(false);
    expect(await names()).toEqual(kept);
  });

  it("in a folder: each is a complete data folder", async () => {
    await harness.stop();
    harness = await startHarness({ env: { BACKUP_TO: join(folder, "..") } });
    await expect
      .poll(() => readdirSync(join(folder, "..")).filter((name) => /^porchlight-\d/.test(name)))
      .toHaveLength(1);
    const [name = ""] = readdirSync(join(folder, "..")).filter((each) => each.startsWith("porchlight-"));
    expect(readdirSync(join(folder, "..", name)).sort()).toEqual([
      "porchlight.db",
      "porchlight.db.seal",
      "secrets.json",
    ]);
    expect(statSync(join(folder, "..", name)).mode & 0o077).toBe(0);
  });
});

it("a backup is written only into a new folder, and leaves no incomplete files in it", async () => {
  await chat();
  expect(await porchlight(harness, ["backup", harness.dataDir])).toMatchObject({
    code: 2,
    err: expect.stringContaining("is not empty"),
  });
  expect((await porchlight(harness, ["backup", folder])).code).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(["porchlight.db", "porchlight.db.seal", "secrets.json"]);
  expect(existsSync(join(folder, "porchlight.db-wal"))).toBe(false);
});
