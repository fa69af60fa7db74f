import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, KEY, startHouse } from "./harness.ts";
import { caller } from "./tokens.ts";

let house: House;
let visitor: string;
const CLI = join(import.meta.dirname, "..", "relay", "src", "cli.ts");
const EMAIL = "client@agency.example";

type Run = { code: number; out: string; err: string };

/** Runs a command beside the running relay, as an operator does. */
function porchlight(args: string[], env: Record<string, string> = {}): Promise<Run> {
  const settings = {
    DATA_DIR: house.dataDir,
    SERVICE_URL: house.sandbox.url,
    SERVICE_API_KEY: KEY,
    CALLBACK_SECRET: house.callbackUrl.split("/").at(-1) ?? "",
    ALLOWED_ORIGINS: house.host,
    ...env,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env: settings }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
    });
  });
}
const json = async (...args: string[]) => JSON.parse((await porchlight([...args, "--json"])).out);

beforeAll(async () => {
  house = await startHouse();
  house.sandbox.seed({ lists: ["leads"], subAccounts: [{ email: EMAIL }] });
  const someone = house.visitor();
  await someone.connect();
  await someone.send("hello");
  await someone.hears("echo: hello");
  visitor = house.sandbox.messages()[0]?.fromId ?? "";
});
afterAll(() => house.stop());

describe("the command line", () => {
  it("says what there is, and answers 2 to what there is not", async () => {
    const help = await porchlight(["help"]);
    expect([help.code, help.out.includes("credits resolve"), help.out.includes("SERVICE_URL")]).toEqual([
      0,
      true,
      true,
    ]);
    expect((await porchlight(["dance"])).code).toBe(2);
    expect(await porchlight(["send", "hi"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--user or --visitor"),
    });
    expect(await porchlight(["doctor"], { PORT: "no" })).toMatchObject({
      code: 2,
      err: expect.stringContaining("PORT"),
    });
  });

  it("makes a token that opens the API at once, and ends it", async () => {
    const { id, token } = await json("token", "add", "billing", "--scopes", "visitors:read");
    const call = caller(house, token);
    expect((await call("GET", "/visitors")).status).toBe(200);
    expect((await call("GET", "/leads")).status).toBe(403);
    expect((await porchlight(["token", "list"])).out).toContain("billing");
    expect((await porchlight(["token", "list"])).out).not.toContain(token);
    await porchlight(["token", "revoke", id]);
    expect((await call("GET", "/visitors")).status).toBe(401);
  });

  it("finds out what is wrong, with the cure, and leaves nothing at the service", async () => {
    const before = house.sandbox.state().contacts.length;
    const local = await porchlight(["doctor"]);
    expect(local.code).toBe(3);
    expect(local.out).toMatch(/ok {4}key of account default/);
    expect(local.out).toMatch(/MEND {2}callback address: PUBLIC_URL is not set/);
    const wrong = await porchlight(["doctor"], { SERVICE_API_KEY: "wrong" });
    expect(wrong.out).toMatch(/MEND {2}key of account default: 401[^\n]*\n +Paste the key/);
    expect(house.sandbox.state().contacts).toHaveLength(before);
    expect(local.out + wrong.out + wrong.err).not.toContain(KEY);
  });

  it("grants credits once per key through the running relay", async () => {
    const grant = ["credits", "grant", EMAIL, "12.50", "--key", "cli-1", "--note", "Invoice 7"];
    expect(await json(...grant)).toMatchObject({ key: "cli-1", state: "done" });
    expect(await json(...grant)).toMatchObject({ key: "cli-1", state: "done" });
    expect(house.sandbox.state().grants).toHaveLength(1);
    expect((await porchlight(["credits", "grant", EMAIL, "13", "--key", "cli-1"])).code).toBe(1);
    expect((await porchlight(["credits", "show", "cli-1"])).out).toMatch(/intent +cli[\s\S]*calling[\s\S]*done/);
  });

  it("resolves an unknown grant with a reason, and says with 3 that one waits", async () => {
    house.sandbox.failNext("credits", 1, { kind: "resetConnection", when: "after" });
    expect((await porchlight(["credits", "grant", EMAIL, "5", "--key", "cli-2"])).code).toBe(3);
    expect((await porchlight(["credits", "list"])).code).toBe(3);
    expect((await porchlight(["credits", "resolve", "cli-2", "--granted"])).code).toBe(2);
    const ended = await porchlight(["credits", "resolve", "cli-2", "--granted", "--reason", "in the history"]);
    expect([ended.code, ended.out.includes("done")]).toEqual([0, true]);
    expect((await porchlight(["credits", "list"])).code).toBe(0);
  });

  it("sends, finds, adds and lists", async () => {
    expect(await json("send", "Hello from the desk", "--visitor", visitor)).toMatchObject({ state: "done" });
    const contact = await json("contact", "add", "--email", "ada@b.example", "--first-name", "Ada");
    expect(await json("contact", "find", "--email", "ada@b.example")).toEqual(contact);
    expect((await porchlight(["list", "add", "leads", contact.id])).code).toBe(0);
    expect(await porchlight(["list", "add", "nowhere", contact.id])).toMatchObject({ code: 1 });
    expect(house.sandbox.state().lists.leads).toEqual([contact.id]);
    expect((await json("site")).addresses.reply).toContain("/callbacks/reply/");
    expect(await json("deliveries")).toEqual([]);
  });

  it("exports, backs up and erases", async () => {
    const [file, copy] = [join(house.dataDir, "site.ndjson"), join(house.dataDir, "copy.db")];
    expect((await porchlight(["export", file])).code).toBe(0);
    const records = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records).toContainEqual(expect.objectContaining({ record: "message", text: "echo: hello" }));
    expect((await porchlight(["export", file])).code).toBe(2);
    expect((await porchlight(["backup", copy])).code).toBe(0);
    expect(existsSync(copy)).toBe(true);
    expect((await porchlight(["erase", visitor])).code).toBe(2);
    expect((await porchlight(["erase", visitor, "--yes"])).code).toBe(0);
    expect((await porchlight(["erase", visitor, "--yes"])).code).toBe(1);
  });
});
