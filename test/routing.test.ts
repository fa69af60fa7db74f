import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { IDENTITY_SECRET, identityOf } from "./identities.ts";
import { caller, tokenFor } from "./tokens.ts";
import type { Extras } from "./visitor.ts";

const routes = [
  { name: "sales", campaign: "cmp_sales" },
  { claim: { plan: "pro" }, campaign: "cmp_pro" },
  { page: "/pricing*", campaign: "cmp_pricing" },
  { language: "fr", campaign: "cmp_french" },
];
const site = { campaign: "cmp_own", routes, identitySecret: "env:IDENTITY_SECRET" };

describe("the campaign of a conversation", () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ site, env: { IDENTITY_SECRET } });
  });
  afterAll(() => harness.stop());

  const campaigns = () => harness.sandbox.messages().map(({ body, campaignId }) => `${body}: ${campaignId}`);

  async function say(text: string, extras: Extras = {}, identity?: string) {
    const visitor = harness.visitor(identity === undefined ? {} : { identity });
    await visitor.connect();
    await visitor.send(text, undefined, extras);
    await visitor.receives(`echo: ${text}`);
    return visitor;
  }

  it("is chosen by button, signed claim, page and language, in the order of the rules", async () => {
    await say("button", { campaign: "sales", page: "/pricing", locale: "fr" });
    await say("claim", { page: "/pricing" }, identityOf({ sub: "pro-1", plan: "pro" }));
    await say("page", { page: "/pricing/teams?ref=1", locale: "fr" });
    await say("language", { page: "/home", locale: "fr-CA" });
    await say("none", { page: "/home", locale: "de" });
    await say("no details");
    expect(campaigns()).toEqual([
      "button: cmp_sales",
      "claim: cmp_pro",
      "page: cmp_pricing",
      "language: cmp_french",
      "none: cmp_own",
      "no details: cmp_own",
    ]);
  });

  it("stays the same after the first message, on every page and in every language", async () => {
    const visitor = await say("first", { page: "/pricing" });
    await visitor.send("second", undefined, { campaign: "sales", page: "/", locale: "fr" });
    await visitor.receives("echo: second");
    const again = harness.visitor({ token: visitor.token() ?? "" });
    await again.connect();
    await again.send("third", undefined, { campaign: "sales" });
    await again.receives("echo: third");
    const [id = ""] = again
      .log()
      .filter(({ text }) => text === "echo: third")
      .map((reply) => reply.id);
    again.write({ t: "react", id, emoji: "👍" });
    await harness.sandbox.until((sandbox) => sandbox.messages().some(({ body }) => body === "👍"));
    expect(campaigns().slice(-4)).toEqual([
      "first: cmp_pricing",
      "second: cmp_pricing",
      "third: cmp_pricing",
      "👍: cmp_pricing",
    ]);
  });

  it("stays the same when the visitor logs in", async () => {
    const visitor = await say("before the login", { campaign: "sales" });
    await visitor.drop();
    await visitor.connect(identityOf({ sub: "routed", plan: "pro" }));
    await visitor.send("after the login");
    await visitor.receives("echo: after the login");
    expect(campaigns().slice(-2)).toEqual(["before the login: cmp_sales", "after the login: cmp_sales"]);
  });

  it("changes when the visitor chooses a topic or a person, but not with an unknown name", async () => {
    const visitor = await say("before the choice", { page: "/pricing" });
    for (const [text, campaign] of [
      ["chosen", "sales"],
      ["unknown", "elsewhere"],
    ] as const) {
      await visitor.send(text, undefined, { campaign, chosen: true });
      await visitor.receives(`echo: ${text}`);
    }
    expect(campaigns().slice(-3)).toEqual([
      "before the choice: cmp_pricing",
      "chosen: cmp_sales",
      "unknown: cmp_sales",
    ]);
  });

  it("is never chosen by an id from the page, nor by unsigned claims", async () => {
    await say("by id", { campaign: "cmp_sales" });
    await say("unsigned", { campaign: "pro", page: "/?plan=pro" });
    expect(campaigns().slice(-2)).toEqual(["by id: cmp_own", "unsigned: cmp_own"]);
  });
});

describe.each([400, 404] as const)(
  "a campaign that the service does not know, and refuses with %i (R-105)",
  (unknownCampaign) => {
    const open = (more: object = {}) =>
      startHarness({
        // These tests count the calls to the service, and their campaigns.
        sandbox: { ...NO_RANDOM_FAULTS, unknownCampaign, knownCampaigns: ["cmp_own"] },
        site: { campaign: "cmp_own", routes: [{ name: "sales", campaign: "cmp_gone" }], ...more },
      });
    const warnings = (harness: Harness) => harness.lines().filter((line) => line.includes("campaign.refused"));
    const campaignsOf = (harness: Harness, route: "incoming" | "send") =>
      harness.sandbox
        .requests()
        .filter((request) => request.route === route)
        .map(({ status, body }) => [status, (body as { customData: { campaignId?: string } }).customData.campaignId]);

    it("fails the message, and names the campaign in the log", async () => {
      const harness = await open();
      const visitor = harness.visitor();
      await visitor.connect();
      await visitor.send("for sales", undefined, { campaign: "sales" });
      await visitor.sees((message) => message.from === "visitor" && message.state === "failed");
      expect(harness.sandbox.messages()).toEqual([]);
      expect(campaignsOf(harness, "incoming")).toEqual([[unknownCampaign, "cmp_gone"]]);
      expect(warnings(harness)[0]).toContain('"campaign":"cmp_gone"');
      await harness.stop();
    });

    it("is omitted from then on if the site allows that, and the log names it once", async () => {
      const harness = await open({ campaignFallback: true });
      const visitor = harness.visitor();
      await visitor.connect();
      await visitor.send("for sales", undefined, { campaign: "sales" });
      await visitor.receives("echo: for sales");
      await visitor.send("again");
      await visitor.receives("echo: again");
      expect(campaignsOf(harness, "incoming")).toEqual([
        [unknownCampaign, "cmp_gone"],
        [200, undefined],
        [200, undefined],
      ]);
      const sids = harness.sandbox.messages().map(({ messageSid }) => messageSid);
      expect(new Set(sids).size).toBe(2);
      expect(warnings(harness)).toHaveLength(1);

      const call = caller(harness, await tokenFor(harness));
      const to = { visitor: harness.sandbox.messages()[0]?.fromId };
      await call("POST", "/messages", { to, text: "From us", campaign: "cmp_old" }, "m-1");
      await visitor.receives("From us");
      expect(campaignsOf(harness, "send")).toEqual([
        [unknownCampaign, "cmp_old"],
        [200, undefined],
      ]);
      await harness.stop();
    });

    it("is not named in the log for an error that also occurs without it", async () => {
      const harness = await open({ campaignFallback: true });
      harness.sandbox.configure({ maxBodyChars: 10 });
      const visitor = harness.visitor();
      await visitor.connect();
      await visitor.send("longer than ten characters");
      await visitor.sees((message) => message.from === "visitor" && message.state === "failed");
      expect(warnings(harness)).toEqual([]);
      await harness.stop();
    });
  },
);

it("the campaign falls back to the site's own when the conversation's campaign leaves the configuration, so that no message fails", async () => {
  const harness = await startHarness({ site, env: { IDENTITY_SECRET } });
  const visitor = harness.visitor();
  await visitor.connect();
  await visitor.send("before", undefined, { campaign: "sales" });
  await visitor.receives("echo: before");
  await visitor.drop();
  await harness.halt();
  const file = join(harness.dataDir, "sites.json");
  await writeFile(file, (await readFile(file, "utf8")).replaceAll("cmp_sales", "cmp_sales_2027"));
  await harness.start();
  await visitor.greet("after");
  expect(harness.sandbox.messages().map(({ campaignId }) => campaignId)).toEqual(["cmp_sales", "cmp_own"]);
  await harness.stop();
});
