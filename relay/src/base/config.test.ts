import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSettings } from "./config.ts";

const ENOUGH = { SERVICE_URL: "https://service.example/v1" };

function settingsOf(env: Record<string, string>) {
  const read = readSettings({ ...ENOUGH, ...env });
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  return read.settings;
}

function problemsOf(env: Record<string, string>): string[] {
  const read = readSettings(env);
  return "problems" in read ? read.problems : [];
}

describe("settings from the environment", () => {
  it("need only the service's address", () => {
    expect(settingsOf({})).toMatchObject({ port: 8787, dataDir: "./data", trustProxy: 0, horizon: 43_200_000 });
    expect(problemsOf({})).toEqual([expect.stringContaining("SERVICE_URL")]);
  });

  it.each([
    ["PORT", "80 80"],
    ["PORT", "70000"],
    ["PUBLIC_URL", "chat.example.com"],
    ["PUBLIC_URL", "ftp://chat.example.com"],
    ["PUBLIC_URL", "https://example.com/chat"],
    ["PUBLIC_URL", "https://example.com/chat/"],
    ["CALLBACK_SECRET", "short"],
    ["ALLOWED_ORIGINS", "https://shop.example/path"],
    ["ALLOWED_ORIGINS", "shop.example"],
    ["TRUST_PROXY", "yes"],
    ["LOG_LEVEL", "loud"],
    ["DELIVERY_HORIZON_HOURS", "0"],
    ["UNKNOWN_CONTACT", "410"],
    ["FORWARD_CALLBACKS", "http://other.example/callback"],
  ])("name %s when it says %j", (name, value) => {
    expect(problemsOf({ ...ENOUGH, [name]: value })).toEqual([expect.stringMatching(`^${name}: `)]);
  });

  it("take a public address with a slash behind it, and say what to do about a path", () => {
    expect(settingsOf({ PUBLIC_URL: "https://chat.example.com/" }).publicUrl).toBe("https://chat.example.com");
    expect(problemsOf({ ...ENOUGH, PUBLIC_URL: "https://example.com/chat" })).toEqual([
      "PUBLIC_URL: must have no path: the relay needs a host of its own, like https://chat.example.com",
    ]);
  });

  it("report every wrong one at once", () => {
    expect(problemsOf({ PORT: "x", HOST: "h", LOG_LEVEL: "y" }).map((line) => line.split(":")[0])).toEqual([
      "PORT",
      "LOG_LEVEL",
    ]);
  });

  it("take two callback secrets while rotating, and several origins", () => {
    const settings = settingsOf({
      CALLBACK_SECRET: "a-new-secret-of-enough-length,the-old-secret-of-enough-length",
      ALLOWED_ORIGINS: "https://shop.example, https://*.shop.example",
    });
    expect(settings.callbackSecrets).toHaveLength(2);
    expect(settings.sites[0]?.origins).toEqual(["https://shop.example", "https://*.shop.example"]);
  });
});

describe("a configuration file", () => {
  const file = (value: unknown): string => {
    const path = join(mkdtempSync(join(tmpdir(), "porchlight-")), "config.json");
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const accounts = { main: { url: "https://service.example/v1", key: "env:MAIN_KEY" } };

  it("describes several sites and accounts, with secrets from the environment", () => {
    const path = file({
      accounts,
      sites: { shop: { account: "main", title: "Shop", campaign: "c1" }, blog: { account: "main" } },
    });
    const settings = settingsOf({ PORCHLIGHT_CONFIG: path, MAIN_KEY: "k+/=&" });
    expect(settings.accounts).toEqual([
      { id: "main", url: "https://service.example/v1", rate: 60, key: { value: "k+/=&" } },
    ]);
    expect(settings.sites.map((site) => [site.public.id, site.public.title, site.campaign])).toEqual([
      ["shop", "Shop", "c1"],
      ["blog", "", undefined],
    ]);
  });

  it("says how a site's chat looks and behaves, down to its hours and its phones", () => {
    const look = {
      hours: { timeZone: "Europe/Oslo", mon: "9:00-17:00" },
      capture: ["email"],
      teaser: "Lost? Ask us.",
      launcher: "text",
      phone: { launcher: "icon", offsetX: 8 },
    };
    const path = file({ accounts, sites: { shop: { account: "main", ...look } } });
    const [site] = settingsOf({ PORCHLIGHT_CONFIG: path, MAIN_KEY: "k" }).sites;
    expect(site?.public).toMatchObject({ id: "shop", theme: "auto", accent: "#4f46e5", ...look });
    expect(site?.public).not.toHaveProperty("account");
  });

  it.each([
    [{ accounts, sites: { shop: { account: "other" } } }, "sites.shop.account"],
    [{ accounts, sites: { shop: { account: "main", hours: { timeZone: "Oslo" } } } }, "sites.shop.hours timeZone"],
    [
      { accounts, sites: { shop: { account: "main", hours: { timeZone: "UTC", mon: "9:00-25:99" } } } },
      "sites.shop.hours mon must be times",
    ],
    [{ accounts, sites: { shop: { account: "main", offsetX: "far" } } }, "sites.shop.offsetX must be"],
    [{ accounts, sites: { shop: { account: "main", phone: { theme: "drak" } } } }, "sites.shop.phone theme must be"],
    [{ accounts, sites: { shop: { account: "main", colour: "red" } } }, "colour"],
    [{ accounts, sites: { shop: { account: "main", accent: "red" } } }, "sites.shop.accent"],
    [
      {
        accounts,
        sites: {
          shop: { account: "main", webhook: { url: "https://b.example", secret: "env:MAIN_KEY", events: ["message"] } },
        },
      },
      "sites.shop.webhook.events.0 must be one of message.visitor",
    ],
    [
      { accounts, sites: { shop: {}, blog: { account: "main", rate: 5 } } },
      "sites.shop.account is needed; sites.blog.rate is not known here",
    ],
    [{ accounts: { main: { url: "https://s.example/v1", key: "plain-secret" } }, sites: {} }, "accounts.main.key"],
    [{ accounts: { main: { url: "https://s.example/v1", key: "env:NOT_SET" } }, sites: {} }, "NOT_SET"],
  ])("is refused with the field that is wrong (%#)", (value, field) => {
    const problems = problemsOf({ PORCHLIGHT_CONFIG: file(value), MAIN_KEY: "k" });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("PORCHLIGHT_CONFIG");
    expect(problems[0]).toContain(field);
  });

  it("is refused with all that is wrong at once: fields, keys, secrets and names", () => {
    const url = "https://s.example/v1";
    const unset = { one: { url, key: "env:NO_ONE" }, two: { url, key: "plain" } };
    const hook = { url: "https://b.example", secret: "env:NO_HOOK" };
    const problem = (value: unknown) => problemsOf({ PORCHLIGHT_CONFIG: file(value), MAIN_KEY: "k" })[0] ?? "";
    const sites = { shop: { account: "three", webhook: hook }, blog: { account: "one", requireIdentity: true } };
    const all = ["NO_ONE", "accounts.two.key", "NO_HOOK", "sites.shop.account names", "sites.blog.requireIdentity"];
    expect(all.filter((part) => !problem({ accounts: unset, sites }).includes(part))).toEqual([]);
    const wrong = { shop: { account: "one", identityKeys: "keys.json" } };
    const mixed = problem({ accounts: unset, sites: wrong });
    expect(["NO_ONE", "accounts.two.key", "sites.shop.identityKeys"].filter((part) => !mixed.includes(part))).toEqual(
      [],
    );
    for (const value of [null, 1, [], { accounts: { one: null } }]) expect(problem(value)).toContain("must be");
  });

  it("is refused when it is not there", () => {
    expect(problemsOf({ PORCHLIGHT_CONFIG: "/nowhere/config.json" })[0]).toContain("does not exist");
  });
});
