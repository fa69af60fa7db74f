import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Harness, loseDatabase, NO_UNKNOWN_OUTCOMES, startHarness } from "./harness.ts";
import { IDENTITY_SECRET, identityOf } from "./identities.ts";
import { porchlight } from "./shell.ts";
import { caller, tokenFor } from "./tokens.ts";

type SiteId = "default" | "b" | "c";

const EMAIL = "client@agency.example";

let harness: Harness;
let calls: Record<SiteId, ReturnType<typeof caller>>;

/** Three sites with the same channel: `default` and `b` of one account, `c` of another; all with one callback address. */
beforeEach(async () => {
  const site = { identitySecret: "env:IDENTITY_SECRET" };
  harness = await startHarness({ sandbox: NO_UNKNOWN_OUTCOMES, site, sites: { b: {} }, env: { IDENTITY_SECRET } });
  await harness.halt();
  const file = join(harness.dataDir, "sites.json");
  const { accounts, sites } = JSON.parse(await readFile(file, "utf8"));
  const config = {
    accounts: {
      default: { ...accounts.default, credits: { emails: { sub_1: EMAIL } } },
      other: { ...accounts.default, credits: { emails: { sub_2: EMAIL } } },
    },
    sites: { ...sites, c: { ...sites.default, account: "other", business: "shop of c" } },
  };
  await writeFile(file, JSON.stringify(config));
  await harness.start();
  const callerOf = async (id: SiteId) => caller(harness, await tokenFor(harness, undefined, id));
  calls = { default: await callerOf("default"), b: await callerOf("b"), c: await callerOf("c") };
});
afterEach(() => harness.stop());

/** What each site's token sees of a thread: the texts, or the status of the refusal. */
async function seenBy(visitor: unknown): Promise<Record<SiteId, unknown>> {
  const textsFor = async (site: SiteId) => {
    const { status, body } = await calls[site]("GET", `/visitors/${visitor}/messages`);
    return status === 200 ? (body.items as { text: string }[]).map(({ text }) => text) : status;
  };
  return { default: await textsFor("default"), b: await textsFor("b"), c: await textsFor("c") };
}
const send = async (site: SiteId, text: string, key: string): Promise<unknown> => {
  const { body } = await calls[site]("POST", "/messages", { to: { user: "customer-7" }, text }, key);
  return body.visitor;
};
const state = async (site: SiteId, key: string) => (await calls[site]("GET", `/messages/${key}`)).body.state;

describe("a callback for a person who has only received messages (R-229, R-451, R-612)", () => {
  it.each(["last", "omit", "fixed"] as const)(
    "that arrives before the service answers the message belongs only to the site that sent it; callback channel: %s",
    async (callbackChannel) => {
      harness.sandbox.configure({ sendTriggersCallback: "before", callbackChannel });
      const [ofB, ofC] = [await send("b", "From b", "k-1"), await send("c", "From c", "k-1")];
      await expect.poll(() => state("b", "k-1")).toBe("sent");
      await expect.poll(() => state("c", "k-1")).toBe("sent");
      expect(await seenBy(ofB)).toEqual({ default: 404, b: ["From b"], c: 404 });
      expect(await seenBy(ofC)).toEqual({ default: 404, b: 404, c: ["From c"] });
      expect(await send("b", "Once more", "k-2")).toBe(ofB);
    },
  );

  it("belongs to the site that sent the message, also when the message's outcome is unknown", async () => {
    harness.sandbox.configure({ sendTriggersCallback: false });
    harness.sandbox.failNext("send", 1, { kind: "status", status: 500, when: "after" });
    const visitor = await send("c", "An offer of c", "k-1");
    await expect.poll(() => state("c", "k-1")).toBe("unknown");
    await harness.sandbox.humanReply({ fromId: String(visitor), body: "for the customer of c" });
    const customer = harness.visitor({ site: "c", identity: identityOf({ sub: "customer-7" }) });
    await customer.connect();
    await customer.receives("for the customer of c");
    await customer.send("I am here");
    await customer.receives("echo: I am here");
    const words = ["for the customer of c", "I am here", "echo: I am here"];
    expect(await seenBy(visitor)).toEqual({ default: 404, b: 404, c: words });
    expect(harness.sandbox.messages().map(({ toId }) => toId)).toEqual(["shop of c"]);
  });
});

describe("a reply to an id that is no longer in the database", () => {
  it("belongs to no site while several are possible, until its visitor returns (R-612)", async () => {
    const visitor = harness.visitor({ site: "b" });
    await visitor.greet();
    const toId = harness.sandbox.messages()[0]?.fromId ?? "";
    await visitor.drop();
    await loseDatabase(harness);
    for (const site of ["default", "b", "c"] as const)
      calls[site] = caller(harness, await tokenFor(harness, undefined, site));
    expect((await harness.sandbox.callbackTo({ toId, body: "still here" })).status).toBe(200);
    expect(await seenBy(toId)).toEqual({ default: 404, b: 404, c: 404 });
    const back = harness.visitor({ site: "b", token: visitor.token() ?? "" });
    await back.connect();
    await back.receives("still here");
    expect(await seenBy(toId)).toEqual({ default: 404, b: ["still here"], c: 404 });
  });
});

describe("an auto-recharge where several accounts are agencies", () => {
  const post = async (key: string, event: object, query = "") => {
    const url = harness.callbackUrl.replace("/reply/", "/recharge/") + query;
    const answer = await fetch(url, { method: "POST", body: JSON.stringify({ idempotency_key: key, ...event }) });
    return [answer.status, await answer.text()];
  };
  const ledger = async (site: SiteId) =>
    ((await calls[site]("GET", "/credits/grants")).body.items as { key: string }[]).map(({ key }) => key).sort();

  it("goes to the account that the address or one account's `emails` names, and is refused when none does", async () => {
    const event = { email: EMAIL, amount: 5 };
    const refused = [422, expect.stringContaining("?account=")];
    expect(await post("k-open", event)).toEqual(refused);
    expect(await post("k-unmapped", { ...event, sub_account_id: "sub_3" })).toEqual(refused);
    expect((await post("k-nobody", event, "?account=nobody"))[0]).toBe(404);
    expect((await post("k-named", event, "?account=other"))[0]).toBe(200);
    expect((await post("k-mapped", { ...event, sub_account_id: "sub_2" }))[0]).toBe(200);
    expect((await post("k-first", { ...event, sub_account_id: "sub_1" }))[0]).toBe(200);
    expect(await ledger("default")).toEqual(["k-first"]);
    expect(await ledger("c")).toEqual(["k-mapped", "k-named"]);
    const lines = harness.lines().filter((line) => line.includes("credits.which_account"));
    expect([lines.length, lines[0]]).toEqual([2, expect.stringContaining("k-open")]);
  });

  it("has an address of its own for each account; porchlight site shows them, and doctor mentions them", async () => {
    const env = { PORCHLIGHT_CONFIG: join(harness.dataDir, "sites.json"), IDENTITY_SECRET };
    const { out } = await porchlight(harness, ["site"], env);
    for (const kind of ["reply", "recharge"])
      for (const account of ["default", "other"])
        expect(out).toMatch(new RegExp(`/callbacks/${kind}/\\S+\\?account=${account}\\n`));
    const doctor = JSON.parse((await porchlight(harness, ["doctor", "--json"], env)).out) as {
      check: string;
      found: string;
    }[];
    const { found } = doctor.find(({ check }) => check === "callback addresses") ?? {};
    expect(found).toContain("each of default, other has its own");
    const listed = await porchlight(harness, ["credits", "list"], env);
    expect(listed).toMatchObject({ code: 2, err: expect.stringContaining("--account is needed") });
    expect((await porchlight(harness, ["credits", "list", "--account", "other"], env)).code).toBe(0);
  });
});

describe("a callback address that names an account", () => {
  it("reaches only visitors of that account's sites, and is answered with 404 for an unknown account", async () => {
    const visitor = harness.visitor({ site: "c" });
    await visitor.greet();
    const toId = harness.sandbox.messages()[0]?.fromId ?? "";
    const reply = async (account: string): Promise<number> => {
      const body = JSON.stringify({ toId, body: `by way of ${account}`, messageId: account });
      const headers = { "Content-Type": "application/json" };
      return (await fetch(`${harness.callbackUrl}?account=${account}`, { method: "POST", headers, body })).status;
    };
    expect([await reply("default"), await reply("nobody"), await reply("other")]).toEqual([404, 404, 200]);
    expect(await seenBy(toId)).toEqual({ default: 404, b: 404, c: ["hello", "echo: hello", "by way of other"] });
  });
});
