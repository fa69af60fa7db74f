import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { porchlight as run } from "./shell.ts";

const EMAIL = "client@agency.example";
const refusal = { kind: "status", status: 400, body: { error: { code: "BLOCKED", message: "no" } } } as const;
let harness: Harness;
let visitor: string;
let message: string;
let lead: { visitor: string; id: string };

const porchlight = (args: string[], env: Record<string, string> = {}) => run(harness, args, env);

beforeAll(async () => {
  const backups = await mkdtemp(join(tmpdir(), "porchlight-backups-"));
  harness = await startHarness({ sandbox: NO_RANDOM_FAULTS, env: { BACKUP_TO: backups } });
  harness.sandbox.seed({ lists: ["leads"], subAccounts: [{ email: EMAIL }] });
  const someone = harness.visitor();
  await someone.connect();
  harness.sandbox.failNext("incoming", 1, 400);
  message = (await someone.send("hello")).id;
  await someone.sees((each) => each.from === "visitor" && each.state === "failed");
  harness.sandbox.failNext("createContact", 1, refusal);
  someone.write({ t: "lead", id: "refused-lead", chat: false, email: "ada@b.example" });
  await someone.next((frame) => frame.t === "error");
  const found = JSON.parse((await porchlight(["leads", "--json"])).out) as { visitor: string; id: string }[];
  lead = found[0] ?? { visitor: "", id: "" };
  visitor = lead.visitor;
});
afterAll(() => harness.stop());

/** Runs the work for two items at a time, because each starts a process. */
async function inPairs<A, B>(all: readonly A[], work: (one: A) => Promise<B>): Promise<B[]> {
  const done: B[] = [];
  for (let i = 0; i < all.length; i += 2) done.push(...(await Promise.all(all.slice(i, i + 2).map(work))));
  return done;
}

type Call = [args: () => string[], code: number];
/** A valid call of every command and its exit code. Each call may prepare the ones after it. */
const VALID_CALLS: Record<string, Call> = {
  help: [() => [], 0],
  doctor: [() => [], 3],
  try: [() => ["hello", "--wait", "20"], 0],
  site: [() => [], 0],
  "token add": [() => ["backend", "--scopes", "leads:read"], 0],
  "token list": [() => [], 0],
  "token revoke": [() => ["none"], 1],
  "contact add": [() => ["--email", "bob@b.example"], 0],
  "contact find": [() => ["--email", "bob@b.example"], 0],
  "list add": [() => ["nowhere", "c_1"], 1],
  transcript: [() => [visitor], 1],
  leads: [() => ["--state", "refused"], 3],
  "leads retry": [() => [lead.visitor, lead.id], 0],
  send: [() => ["Hello", "--user", "7", "--key", "sent-1"], 0],
  "send resolve": [() => ["sent-1", "--sent", "--reason", "seen"], 1],
  "credits grant": [() => [EMAIL, "5", "--key", "grant-1"], 0],
  "credits list": [() => [], 0],
  "credits show": [() => ["grant-1"], 0],
  "credits approve": [() => ["grant-1", "--reason", "no"], 1],
  "credits dismiss": [() => ["grant-1", "--reason", "no"], 1],
  "credits resolve": [() => ["grant-1", "--granted", "--reason", "no"], 1],
  "credits trust": [() => ["--reason", "compared"], 1],
  deliveries: [() => ["--failed"], 3],
  "deliveries retry": [() => [visitor, message], 0],
  webhooks: [() => [], 0],
  "webhooks retry": [() => ["msg_none"], 1],
  "block add": [() => ["203.0.113.9", "--reason", "floods"], 0],
  "block list": [() => [], 0],
  "block remove": [() => ["none"], 1],
  export: [() => [join(harness.dataDir, "site.ndjson")], 0],
  reload: [() => ["--dry-run"], 0],
  retention: [() => ["--dry-run"], 0],
  "backup run": [() => [], 0],
  "backup list": [() => [], 0],
  "backup fetch": [() => ["none", join(harness.dataDir, "fetched")], 1],
  backup: [() => [join(harness.dataDir, "copy")], 0],
  client: [() => [join(harness.dataDir, "client")], 0],
  "session end": [() => [visitor], 0],
  erase: [() => [visitor, "--yes"], 0],
};
/** Programs that run until they are stopped. */
const LONG_RUNNING = ["serve", "sandbox"];

describe("every command", () => {
  it("is in the help, as text and as JSON, and in this test", async () => {
    const { code, out } = await porchlight(["help", "--json"]);
    const help = JSON.parse(out) as { commands: { name: string }[]; exitCodes: object; settings: { env: string }[] };
    const names = help.commands.map(({ name }) => name);
    expect([code, Object.keys(help.exitCodes)]).toEqual([0, ["0", "1", "2", "3"]]);
    expect(help.settings.map(({ env }) => env)).toContain("SERVICE_URL");
    expect(names).toEqual(expect.arrayContaining(Object.keys(VALID_CALLS)));
    // A command that this test does not know yet must support --json too.
    for (const name of names.filter((each) => !LONG_RUNNING.includes(each) && !(each in VALID_CALLS))) {
      const { code, err } = await porchlight([...name.split(" "), "--colour=red", "--json"]);
      expect([code, JSON.parse(err)], name).toEqual([2, { error: expect.any(String), code: 2 }]);
    }
    const words = (await porchlight(["help"])).out;
    expect(names.filter((name) => !words.includes(name))).toEqual([]);
  });

  it.each(Object.entries(VALID_CALLS))("prints only JSON with --json: %s", async (name, [args, code]) => {
    const { out, err, code: ended } = await porchlight([...name.split(" "), ...args(), "--json"]);
    expect([ended, ended === 1 ? out : err], `${out}${err}`).toEqual([code, ""]);
    const printed = JSON.parse(ended === 1 ? err : out) as { error?: string; code?: number };
    if (ended === 1) expect(printed).toEqual({ error: expect.stringMatching(/\w{3}/), code: 1 });
  });

  it("exits with 2 and prints JSON for an unknown option or argument", async () => {
    // One parser reads the arguments of all commands, so each kind of usage is tested once.
    const wrong = ["help", "doctor", "try", "token add", "list add", "leads", "credits show", "backup"].map(
      (name, i) => (i % 2 === 0 ? `${name} --colour=red` : `${name} a b c d e`),
    );
    const ended = await inPairs(wrong, (line) => porchlight([...line.split(" "), "--json"]));
    expect(ended.flatMap(({ code, out }, i) => (code === 2 && out === "" ? [] : [wrong[i]]))).toEqual([]);
    expect(ended.map(({ err }) => JSON.parse(err) as object)).toEqual(
      wrong.map(() => ({ error: expect.stringMatching(/porchlight help|--/), code: 2 })),
    );
    const about = await porchlight(["credits", "show", "--help", "--json"]);
    expect(JSON.parse(about.out).commands.map(({ name }: { name: string }) => name)).toContain("credits show");
  });

  it("also prints JSON for wrong settings, unwritable places and unknown commands", async () => {
    const wrong: [string[], Record<string, string>, number, RegExp][] = [
      [["dance"], {}, 2, /dance/],
      [["help", "dance"], {}, 2, /dance/],
      [["credits"], {}, 2, /credits grant/],
      [["serve", "--prot", "80"], {}, 2, /prot/],
      [["serve", "now"], {}, 2, /now/],
      [["serve"], { PORT: "no" }, 2, /PORT/],
      [["export", join(harness.dataDir, "none", "site.ndjson")], {}, 1, /ENOENT/],
      [["client", join(harness.dataDir, "secrets.json", "client")], {}, 1, /ENOTDIR/],
    ];
    for (const [args, env, code, words] of wrong) {
      const ended = await porchlight(["--json", ...args], env);
      expect([ended.code, ended.out], args.join(" ")).toEqual([code, ""]);
      expect(JSON.parse(ended.err)).toEqual({ error: expect.stringMatching(words), code });
    }
    expect(existsSync(join(harness.dataDir, "none"))).toBe(false);
  });
});

describe("a grant that did not happen", () => {
  it("ends with the service's answer: 3 at once, with the reason and the remedy", async () => {
    const grant = ["credits", "grant", "nobody@agency.example", "5", "--key", "nobody-1"];
    const { code, out } = await porchlight(grant);
    expect([code, out]).toEqual([3, expect.stringMatching(/refused[\s\S]*404[\s\S]*credits dismiss nobody-1/)]);
    expect(JSON.parse((await porchlight([...grant, "--json"])).out)).toMatchObject({
      state: "refused",
      key: "nobody-1",
    });
    // The relay retries the grant. Nothing can be dismissed during a call: then the command exits with 1.
    const dismiss = ["credits", "dismiss", "nobody-1", "--reason", "a typing mistake"];
    await expect.poll(async () => (await porchlight(dismiss)).code).toBe(0);
    expect((await porchlight(grant)).code).toBe(1);
  });

  it("is not reported as made when no relay runs and the wait is over", async () => {
    await harness.halt();
    const later = await porchlight(["credits", "grant", EMAIL, "5", "--key", "later-1", "--wait", "0"]);
    expect([later.code, later.out]).toEqual([3, expect.stringContaining("no relay has processed it")]);
    expect((await porchlight(["send", "Hi", "--user", "7", "--wait", "0"])).code).toBe(3);
    await harness.start();
    await expect.poll(async () => (await porchlight(["credits", "list"])).out).toMatch(/later-1 +granted/);
  });
});
