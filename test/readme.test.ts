import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSettings } from "../relay/src/base/config.ts";
import { OPERATIONS } from "../relay/src/http/api/operations.ts";
import { startHarness } from "./harness.ts";
import { IDENTITY_SECRET } from "./identities.ts";
import { freePort } from "./ports.ts";

const ROOT = join(import.meta.dirname, "..");
const GUIDES = join(ROOT, "relay", "docs", "guides");

/** The texts of the README and of the guides. */
const documents = [join(ROOT, "README.md"), ...readdirSync(GUIDES).map((name) => join(GUIDES, name))].map((path) =>
  readFileSync(path, "utf8"),
);

/** The contents of code fences of a kind, like `json site`. */
const blocks = (kind: string): string[] =>
  documents.flatMap((text) =>
    [...text.matchAll(/^ *```(\w+ \w+)\n([\s\S]*?)^ *```/gm)].flatMap(([, name, block = ""]) =>
      name === kind ? [block] : [],
    ),
  );

let folder: string;
const stops: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "porchlight-"));
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("the guides' configuration", () => {
  const account = { url: "https://service.example/v1", key: "env:MAIN_KEY" };
  const inSite = (text: string): object => ({
    accounts: { main: account },
    sites: { shop: { account: "main", ...JSON.parse(text) } },
  });
  const inAccount = (text: string): object => ({
    accounts: { main: { ...account, ...JSON.parse(text) } },
    sites: { shop: { account: "main" } },
  });
  const examples = [
    ...blocks("json file").map((text) => JSON.parse(text) as object),
    ...blocks("json site").map(inSite),
    ...blocks("json account").map(inAccount),
  ];

  it("has an example of every setting of sites and accounts except the look", () => {
    const named = JSON.stringify(examples);
    for (const name of ["routes", "leads", "webhook", "identitySecret", "identityKeys", "requireIdentity", "hours"])
      expect(named, name).toContain(`"${name}":`);
    for (const mode of ["manual", "auto", "webhook"]) expect(named, mode).toContain(`"mode":"${mode}"`);
  });

  it.each(examples.map((example) => [JSON.stringify(example).slice(0, 500), example]))(
    "is accepted: %s",
    (_, example) => {
      const file = join(folder, "sites.json");
      writeFileSync(file, JSON.stringify(example));
      const secrets = [...JSON.stringify(example).matchAll(/"env:(\w+)"/g)].map(([, name = ""]) => [
        name,
        "s".repeat(40),
      ]);
      const read = readSettings({ ...Object.fromEntries(secrets), PORCHLIGHT_CONFIG: file });
      expect("problems" in read ? read.problems : []).toEqual([]);
    },
  );
});

describe("the environment files of the README and the guides", () => {
  it.each(blocks("sh environment"))("are valid, by the rules of systemd and Docker", (text) => {
    const lines = text.split("\n").map((line) => line.replace(/^ {3}/, ""));
    const pairs = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(/=(.*)/s));
    const read = readSettings(Object.fromEntries(pairs));
    expect("problems" in read ? read.problems : []).toEqual([]);
    expect(read).toMatchObject({ settings: { publicUrl: "https://chat.example.com", trustProxy: 1 } });
  });
});

/** Runs a block as a person pastes it, with other ports. */
function paste(kinds: string | readonly string[], ports: readonly (readonly [string, number])[]) {
  const text = [kinds].flat().flatMap(blocks).join("");
  const script = ports.reduce((words, [from, to]) => words.replaceAll(from, String(to)), text);
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: folder,
    PORT: String(ports[0]?.[1]),
    SANDBOX_PORT: String(ports[1]?.[1]),
  };
  const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  const ended = once(child, "exit");
  stops.push(async () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await ended;
  });
  return { ended: ended.then(([code]) => ({ code, out, err })), output: () => out + err };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

describe("the guides' first call without an account", () => {
  it("sends a message, creates a lead and grants credits when pasted unchanged", async () => {
    const ports = [
      ["8787", await freePort()],
      ["8788", await freePort()],
    ] as const;
    const [relay, sandbox] = ports.map(([, port]) => `http://localhost:${port}`);
    const running = [paste("sh sandbox", ports), paste("sh relay", ports)];
    const ready = async () => (await answers(`${relay}/readyz`)) && (await answers(`${sandbox}/__sandbox/state`));
    const outputs = () => running.map(({ output }) => output()).join("\n");
    await expect.poll(async () => ((await ready()) ? "ready" : outputs())).toBe("ready");

    const { code, out, err } = await paste(["sh examples", "sh example"], ports).ended;
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/Message: (queued|sending|sent)\nContact: \S+\nCredits: granted\n/);
    expect(out).toContain('"key":"shipped-1042"');
    expect(out).toContain('"created":true');
    expect(out).toContain('"key":"invoice-117"');
    const state = async () => JSON.stringify(await (await fetch(`${sandbox}/__sandbox/state`)).json());
    await expect.poll(state).toContain("Invoice 117 [invoice-117]");
    await expect.poll(state).toContain("Order 1042 is on its way.");
    expect(await state()).toContain("ada@example.com");
    const trial = await paste("sh trial", ports).ended;
    expect([trial.code, trial.err, trial.out.match(/^ok/gm)?.length]).toEqual([0, "", 3]);
  });
});

describe("the guides' identity", () => {
  it("is accepted, and the person is greeted by name", async () => {
    const file = join(folder, "backend.mjs");
    writeFileSync(file, blocks("js backend")[0] ?? "");
    const { identityOf } = (await import(file)) as { identityOf: (user: object, secret: string) => string };
    const harness = await startHarness({ env: { IDENTITY_SECRET } });
    stops.push(harness.stop);
    const identity = identityOf({ id: "customer-7", name: "Ada Lovelace", email: "ada@example.com" }, IDENTITY_SECRET);
    expect(await harness.visitor({ identity }).connect()).toMatchObject({ name: "Ada" });
    const forged = identityOf({ id: "customer-7" }, "another secret that only a stranger knows");
    await expect(harness.visitor({ identity: forged }).connect()).rejects.toThrow("4401");
  });
});

describe("the guides' table of the service's interface", () => {
  const table = readFileSync(join(GUIDES, "interface-use.md"), "utf8");

  it("has every endpoint and event of the interface", () => {
    for (const part of [
      "4.1 ",
      "4.2 ",
      "4.3 ",
      "4.4 ",
      "4.5 ",
      "4.6 ",
      "4.7, 6 ",
      "6 Auto-recharge",
      "3 Sent",
      "5 Key",
      "7 ",
      "8 ",
    ])
      expect(table, part).toContain(`| ${part}`);
  });

  it("names operations that exist", () => {
    const known = Object.values(OPERATIONS).map(({ method, path }) => `${method.toUpperCase()} /api/v1${path}`);
    const named = [...table.matchAll(/`((?:GET|POST) \/api\/v1[^`]+)`/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(4);
  });
});
