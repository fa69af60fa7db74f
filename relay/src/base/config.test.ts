import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSettings } from "./config.ts";

const REQUIRED = { SERVICE_URL: "https://service.example/v1" };

function settingsOf(env: Record<string, string>) {
  const read = readSettings({ ...REQUIRED, ...env });
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  return read.settings;
}

function problemsOf(env: Record<string, string>): readonly string[] {
  const read = readSettings(env);
  return "problems" in read ? read.problems : [];
}

describe("settings from the environment", () => {
  it("require only the service's address", () => {
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
    ["ALLOWED_ORIGINS", "https://*"],
    ["ALLOWED_ORIGINS", "https://shop.*.example"],
    ["ALLOWED_ORIGINS", "ftp://shop.example"],
    ["TRUST_PROXY", "yes"],
    ["LOG_LEVEL", "loud"],
    ["DELIVERY_HORIZON_HOURS", "0"],
    ["UNKNOWN_CONTACT", "410"],
    ["FORWARD_CALLBACKS", "http://other.example/callback"],
  ])("name %s when its value is %j", (name, value) => {
    expect(problemsOf({ ...REQUIRED, [name]: value })).toEqual([expect.stringMatching(`^${name}: `)]);
  });

  it("limit open chats by the memory of the process, unless the owner sets a number (A26)", () => {
    const limitOf = (env: Record<string, string>) => {
      const read = readSettings({ ...REQUIRED, ...env }, 512 * 1024 * 1024);
      if ("problems" in read) throw new Error(read.problems.join("\n"));
      const { socketsTotal, inForce } = read.settings;
      return [socketsTotal, inForce.find(({ env: name }) => name === "SOCKETS_TOTAL")?.value];
    };
    expect(limitOf({})).toEqual([8_100, "8100"]);
    for (const given of ["20000", "0"]) expect(limitOf({ SOCKETS_TOTAL: given })).toEqual([Number(given), given]);
  });

  it("accept a public address with a trailing slash, and say how to correct one with a path", () => {
    expect(settingsOf({ PUBLIC_URL: "https://chat.example.com/" }).publicUrl).toBe("https://chat.example.com");
    expect(problemsOf({ ...REQUIRED, PUBLIC_URL: "https://example.com/chat" })).toEqual([
      "PUBLIC_URL: must have no path: the relay needs a host of its own, like https://chat.example.com; for example PUBLIC_URL=https://chat.example.com",
    ]);
  });

  it("name the other variables that a wrong one needs", () => {
    expect(problemsOf({ ...REQUIRED, SMTP_URL: "mail", MEDIA_STORE: "bucket" })).toEqual([
      expect.stringMatching(/^MEDIA_STORE: must be like s3/),
      expect.stringMatching(/^SMTP_URL: must be like smtp/),
      expect.stringMatching(/^MEDIA_STORE: needs S3_ACCESS_KEY_ID/),
      expect.stringMatching(/^MEDIA_STORE: needs S3_SECRET_ACCESS_KEY/),
      expect.stringMatching(/^SMTP_URL: needs PUBLIC_URL/),
      expect.stringMatching(/^SMTP_URL: needs MAIL_FROM/),
    ]);
  });

  it("report every wrong value at once, each on its own line with a correct example", () => {
    const env = { PORT: "x", HOST: "h", LOG_LEVEL: "y", SMTP_URL: "smtp://mail.example.com", PUBLIC_URL: "chat" };
    expect(problemsOf({ ...env, ALLOWED_ORIGINS: "shop.example,https://fine.example,https://b.example/path" })).toEqual(
      [
        "PORT: must be a whole number from 0 to 65535; for example PORT=8787",
        expect.stringMatching(/^PUBLIC_URL: .*; for example PUBLIC_URL=https:/),
        expect.stringMatching(/^ALLOWED_ORIGINS: has "shop.example".*; for example ALLOWED_ORIGINS=https:/),
        expect.stringMatching(/^ALLOWED_ORIGINS: has "https:\/\/b.example\/path"/),
        expect.stringMatching(/^LOG_LEVEL: .*; for example LOG_LEVEL=info$/),
        expect.stringMatching(/^SERVICE_URL: is required.*; for example SERVICE_URL=https:.*\/v1$/),
        expect.stringMatching(/^SMTP_URL: needs MAIL_FROM; for example MAIL_FROM=/),
      ],
    );
  });

  it.each([
    ["SERVICE_URL", "https://service.example/v1   # the messaging service"],
    ["SERVICE_API_KEY", "k+/=&  #from its settings"],
    ["ADMIN_TOKEN", "# later"],
    ["SITE_TITLE", "Chat with us # heading"],
    ["TRUST_PROXY", "1 # one proxy"],
  ])("are refused by name with a comment behind the value: %s=%s", (name, value) => {
    expect(problemsOf({ ...REQUIRED, [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: has a comment .*environment file`)),
    ]);
  });

  it.each([
    ["SERVICE_API_KEY", '"the-key"'],
    ["SERVICE_URL", "'https://service.example/v1'"],
    ["SITE_TITLE", '"Chat with us"'],
    ["TRUST_PROXY", '"1"'],
  ])("are refused by name with quotes around the value: %s=%s", (name, value) => {
    expect(problemsOf({ ...REQUIRED, [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: has quotes around its value: remove them, .*docker --env-file`)),
    ]);
    expect(settingsOf({ SITE_TITLE: '"Porch" and "Light"' }).sites[0]?.public.title).toBe('"Porch" and "Light"');
  });

  it.each([
    ["chat@shop.example", "", "chat@shop.example"],
    ["Shop <chat@shop.example>", "Shop", "chat@shop.example"],
    ["Chat #1 <chat@shop.example>", "Chat #1", "chat@shop.example"],
    ['"Shop, Inc. <Oslo>" <chat@shop.example>', "Shop, Inc. <Oslo>", "chat@shop.example"],
    ['"The \\"best\\" shop" <chat@shop.example>', 'The "best" shop', "chat@shop.example"],
    ["Blåbær & Bær <chat@shop.example>", "Blåbær & Bær", "chat@shop.example"],
  ])("accept the sender of mails %s, with or without a name", (value, name, address) => {
    const mail = { SMTP_URL: "smtp://mail.example.com", PUBLIC_URL: "https://chat.example.com", MAIL_FROM: value };
    expect(settingsOf(mail).mail?.from).toEqual({ name, address });
  });

  it.each([
    "Shop",
    "Shop <chat>",
    "Shop <chat@shop.example",
    '"Shop <chat@shop.example>',
    "Shop chat@shop.example",
    "chat@shop.example (Shop)",
    "a@shop.example, b@shop.example",
    "Shops: a@shop.example;",
    "Shop <a@shop.example> <b@shop.example>",
    `Shop <${"a".repeat(250)}@shop.example>`,
  ])("refuse the sender of mails %s by the setting's name, with a correct form", (value) => {
    expect(problemsOf({ ...REQUIRED, MAIL_FROM: value })).toEqual([
      "MAIL_FROM: must be an email address, or a name with an address in angle brackets, like Shop <chat@example.com>; for example MAIL_FROM=chat@example.com",
    ]);
  });

  it.each([
    "SERVICE_API_KEY",
    "CALLBACK_SECRET",
    "ADMIN_TOKEN",
    "ADMIN_READ_TOKEN",
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
    "ALERT_WEBHOOK_SECRET",
    "IDENTITY_SECRET",
  ])("are refused by name with a reference in place of the secret: %s", (name) => {
    for (const value of ["file:/run/secrets/of-the-chat/one-secret.txt", "env:ANOTHER_VARIABLE_WITH_THE_SECRET"])
      expect(problemsOf({ ...REQUIRED, [name]: value })).toEqual([
        expect.stringMatching(
          new RegExp(`^${name}: must be the secret itself: .*configuration file; for example ${name}(_FILE=/|=).`),
        ),
      ]);
  });

  it("name the setting for a file with the key when the key is the path of one", () => {
    expect(problemsOf({ ...REQUIRED, SERVICE_API_KEY: "file:/run/secrets/key" })).toEqual([
      'SERVICE_API_KEY: must be the secret itself: "file:" and "env:" are for fields of the configuration file; for example SERVICE_API_KEY_FILE=/etc/porchlight/key',
    ]);
  });

  it("accept a # that does not begin a comment", () => {
    expect(settingsOf({ SITE_TITLE: "Chat #1", SERVICE_API_KEY: "a#b" }).sites[0]?.public.title).toBe("Chat #1");
  });

  it("are refused with an unreadable key file, or with a remote service over plain HTTP", () => {
    expect(problemsOf({ SERVICE_API_KEY_FILE: "/nowhere/key", SERVICE_URL: "http://service.example/v1" })).toEqual([
      expect.stringMatching(
        /^SERVICE_URL: plain http sends the key unencrypted.*; for example SERVICE_URL=https:\/\/service.example/,
      ),
      "SERVICE_API_KEY_FILE: names /nowhere/key, which cannot be read (ENOENT); for example SERVICE_API_KEY_FILE=/etc/porchlight/key",
    ]);
    expect(settingsOf({ SERVICE_URL: "http://service.example/v1", ALLOW_INSECURE_SERVICE: "true" })).toBeDefined();
  });

  it("are refused with a database that is not supported", () => {
    expect(problemsOf({ ...REQUIRED, DATABASE_URL: "mysql://db.example" })).toEqual([
      expect.stringMatching(/^DATABASE_URL: must be sqlite:/),
    ]);
  });

  it("accept two callback secrets during a rotation, and several origins", () => {
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
  const URL = "https://service.example/v1";
  const accounts = { main: { url: URL, key: "env:MAIN_KEY" } };
  const sites = { shop: { account: "main" } };

  it("describes several sites and accounts, with secrets from the environment", () => {
    const path = file({
      accounts,
      sites: { shop: { account: "main", title: "Shop", campaign: "c1" }, blog: { account: "main" } },
    });
    const settings = settingsOf({ PORCHLIGHT_CONFIG: path, MAIN_KEY: "k+/=&" });
    expect(settings.accounts).toEqual([
      { id: "main", url: "https://service.example/v1", rate: 60, key: { value: "k+/=&" }, fromFile: ["url", "key"] },
    ]);
    expect(settings.sites.map((site) => [site.public.id, site.public.title, site.campaign])).toEqual([
      ["shop", "Shop", "c1"],
      ["blog", "", undefined],
    ]);
  });

  it("sets a site's look and behaviour, including business hours and phones", () => {
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
    [{ accounts, sites: { shop: {} } }, 'sites.shop.account is required; for example "account": "main"'],
    [{ accounts: { main: { url: URL, key: "plain-secret" } }, sites }, "accounts.main.key"],
    [{ accounts: { main: { url: URL, key: "env:NOT_SET" } }, sites }, "NOT_SET"],
    [{ accounts: { main: { url: URL, key: "file:/nowhere/key" } }, sites }, "accounts.main.key names /nowhere/key"],
    [
      { accounts: { main: { url: URL, key: "env:COMMENTED" } }, sites },
      "accounts.main.key names COMMENTED, which has a",
    ],
    [{ accounts: { main: { url: "http://s.example/v1", key: "env:MAIN_KEY" } }, sites }, "accounts.main.url"],
    [{ accounts, sites: {} }, 'sites must name at least one site; for example "sites": {"shop"'],
    [{ accounts, sites: { shop: { account: "main", orgins: [] } } }, 'for example "origins": ["https:'],
    [
      { accounts, sites: { shop: { account: "main", strings: { caht: "Ask us" } } } },
      'not the key of a text; did you mean "chat"?',
    ],
    [
      { accounts, sites: { shop: { account: "main", webhook: { url: "x", secret: "env:MAIN_KEY" } } } },
      "sites.shop.webhook.url must be an address",
    ],
  ])("is refused with the field that is wrong (%#)", (value, field) => {
    const env = { PORCHLIGHT_CONFIG: file(value), MAIN_KEY: "k", COMMENTED: "k # the key" };
    const problems = problemsOf(env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("; for example ");
    expect(problems[0]).toContain("PORCHLIGHT_CONFIG");
    expect(problems[0]).toContain(field);
  });

  it("is refused with all errors at once, one per line, together with those of the environment", () => {
    const empty = join(mkdtempSync(join(tmpdir(), "porchlight-")), "secret");
    writeFileSync(empty, "\n");
    const path = file({
      accounts: {
        one: { url: URL, key: "env:NO_ONE" },
        two: { url: URL, key: "plain" },
        three: { url: "x", key: 1 },
        plain: { url: "http://s.example/v1", key: "env:SHORT" },
      },
      sites: {
        shop: {
          account: "four",
          webhook: { url: "https://b.example", secret: "env:NO_HOOK" },
          guard: { url: "https://b.example", secret: `file:${empty}` },
          colour: "red",
          strings: { nothing: "x" },
        },
        blog: { account: "one", requireIdentity: true, origins: ["blog.example", "https://blog.example/"] },
        "no name!": { account: "one" },
        help: { account: "one", identityKeys: "keys.json", identitySecret: "env:SHORT" },
      },
    });
    const problems = problemsOf({ PORCHLIGHT_CONFIG: path, SHORT: "short", PORT: "no" });
    const [first, ...lines] = problems;
    expect(first).toMatch(/^PORT: /);
    expect(lines.every((line) => line.startsWith(`PORCHLIGHT_CONFIG: ${path}: `))).toBe(true);
    const fields = lines.map((line) => line.split(": ")[2]?.split(" ")[0] ?? "");
    expect(fields.sort()).toEqual([
      "accounts.one.key",
      "accounts.plain.url",
      "accounts.three.key",
      "accounts.three.url",
      "accounts.two.key",
      "sites.blog.identitySecret",
      "sites.blog.origins.0",
      "sites.blog.origins.1",
      "sites.help.identityKeys",
      "sites.help.identitySecret",
      "sites.help.identitySecret",
      "sites.no",
      "sites.shop.account",
      "sites.shop.colour",
      "sites.shop.guard.secret",
      "sites.shop.strings",
      "sites.shop.webhook.secret",
    ]);
    expect(lines.filter((line) => !line.includes("; for example "))).toEqual([]);
    expect(lines.find((line) => line.includes("no name!"))).toMatch(
      /sites\.no name! must be 1 to 64 characters of .*; for example "shop": \{/,
    );
  });

  it("is refused with a file that has no key or secret, or no identity keys", () => {
    const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
    const holding = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return `file:${join(folder, name)}`;
    };
    const path = file({
      accounts: { main: { url: URL, key: holding("key", "\n") } },
      sites: {
        cut: { account: "main", identityKeys: holding("cut.json", '{"keys": [') },
        secret: { account: "main", identityKeys: holding("secret", "hunter2") },
        other: { account: "main", identityKeys: holding("other.json", '{"kty": "EC"}') },
        shop: { account: "main", identityKeys: holding("set.json", '{"keys": [{"kty": "EC"}]}') },
      },
    });
    const problems = problemsOf({ PORCHLIGHT_CONFIG: path, SERVICE_API_KEY_FILE: join(folder, "key") });
    const line = (text: string) => expect.stringMatching(new RegExp(`^PORCHLIGHT_CONFIG: .*: ${text}; for example "`));
    expect(problems).toEqual([
      line("accounts.main.key names .*/key, which is empty"),
      line("sites.cut.identityKeys names .*/cut.json, which is not JSON"),
      // Quotes nothing of the file.
      line("sites.secret.identityKeys names .*/secret, which is not JSON"),
      line("sites.other.identityKeys names .*/other.json, which is not a JWKS like .*"),
    ]);
    expect(problemsOf({ ...REQUIRED, SERVICE_API_KEY_FILE: join(folder, "key") })).toEqual([
      expect.stringMatching(
        /^SERVICE_API_KEY_FILE: names .*\/key, which is empty; for example SERVICE_API_KEY_FILE=\//,
      ),
    ]);
  });

  it("is refused when a variable that it names holds a reference in place of the secret", () => {
    const path = file({ accounts: { main: { url: URL, key: "env:MAIN_KEY" } }, sites });
    expect(problemsOf({ PORCHLIGHT_CONFIG: path, MAIN_KEY: "file:/run/secrets/key" })).toEqual([
      expect.stringMatching(
        /: accounts\.main\.key names MAIN_KEY, which must be the secret itself: .*; for example "key"/,
      ),
    ]);
  });

  it("is refused when accounts or sites are missing, empty, or of another type", () => {
    const problem = (value: unknown): string => problemsOf({ PORCHLIGHT_CONFIG: file(value) }).join("\n");
    expect(problem({})).toMatch(/accounts is required; for example .*\n.*sites is required; for example/);
    expect(problem({ accounts: {}, sites: {} })).toMatch(
      /accounts must name at least one.*\n.*sites must name at least/,
    );
    for (const value of [null, 1, [], { accounts: { one: null } }]) expect(problem(value)).toContain("must be");
  });

  it("is refused when it cannot be parsed, with a correct example", () => {
    const example = "; for example PORCHLIGHT_CONFIG=/etc/porchlight/sites.json";
    for (const [path, why] of [
      ["/nowhere/config.json", "does not exist"],
      [tmpdir(), "cannot be read (EISDIR)"],
    ] as const)
      expect(problemsOf({ PORCHLIGHT_CONFIG: path })).toEqual([
        `PORCHLIGHT_CONFIG: names ${path}, which ${why}${example}`,
      ]);
    const broken = join(mkdtempSync(join(tmpdir(), "porchlight-")), "config.json");
    writeFileSync(broken, "{,}");
    expect(problemsOf({ PORCHLIGHT_CONFIG: broken })).toEqual([
      expect.stringMatching(/ is not JSON: .*; for example \{"accounts": \{.*\}, "sites": \{.*\}\}$/),
    ]);
  });
});
