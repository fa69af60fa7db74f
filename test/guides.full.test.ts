import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { personSignedBy, webhookVerdicts, wordpressFooter } from "./backends.ts";
import { snippet, snippets } from "./guides.ts";
import { freePort } from "./ports.ts";
import { ensureAll } from "./setup/install.ts";

const ROOT = join(import.meta.dirname, "..");

beforeAll(() =>
  ensureAll([
    { names: ["python3"], package: "python3" },
    { names: ["php"], package: "php-cli" },
    { names: ["ruby"], package: "ruby" },
    { names: ["go"], package: "golang-go" },
  ]),
);

it.each(["python", "php", "ruby", "go"] as const)("signs identities that the relay accepts: %s", async (name) => {
  expect(await personSignedBy(name)).toMatchObject({ subject: "7", email: "ada@example.com" });
});

it.each(["python", "php"] as const)("distinguishes genuine webhooks from forged and old ones: %s", (name) => {
  expect(webhookVerdicts(name)).toEqual(["yes", "yes", ...new Array(7).fill("no")]);
});

it("prints the tag in the footer of WordPress", () => {
  expect(wordpressFooter()).toBe(snippet("html tag").trim());
});

describe('the page "by hand"', () => {
  let folder: string;
  const stops: (() => Promise<unknown>)[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "porchlight-"));
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    rmSync(folder, { recursive: true });
  });

  /** The page's commands of a kind, on separate data. */
  const lines = (kind: string): string =>
    snippet(kind)
      .replaceAll(/\.?\/?\bdata\b(?=$| node)/gm, join(folder, "data"))
      .replaceAll("porchlight.env", join(folder, "porchlight.env"));
  const baseEnv = (): Record<string, string | undefined> => ({ PATH: process.env.PATH, HOME: process.env.HOME });

  /** Starts a program of the page in a process group of its own, and waits until it prints the text. */
  async function start(script: string, text: string, more: Record<string, string> = {}): Promise<void> {
    const child = spawn("sh", ["-ec", script], { cwd: ROOT, env: { ...baseEnv(), ...more }, detached: true });
    const ended = once(child, "exit");
    stops.push(async () => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      await ended;
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    await expect.poll(() => output).toContain(text);
  }

  /** Runs a command of the page beside the relay. @returns what it prints */
  const run = (script: string): string =>
    spawnSync("sh", ["-c", script], {
      cwd: ROOT,
      env: { ...baseEnv(), DATA_DIR: join(folder, "data") },
      encoding: "utf8",
    }).stdout;

  it("starts the relay, and shows the tag and the problems", async () => {
    const [settings = ""] = snippets("sh environment");
    writeFileSync(join(folder, "porchlight.env"), `${settings.replaceAll(/^ +/gm, "")}\nPORT=0\n`);
    await start(lines("sh start"), "relay.started");
    const shown = run(lines("sh look"));
    expect(shown).toContain('<script async src="https://chat.example.com/widget.js"');
    expect(shown).toContain("Custom Channel Webhook: https://chat.example.com/callbacks/reply/");
    // No service answers at service.example.
    expect(shown).toMatch(/^FAIL/m);
  });

  it("rehearses without an account: a message is answered, and doctor finds only the local address", async () => {
    const [relay, sandbox] = [String(await freePort()), String(await freePort())];
    const moved = (text: string): string => text.replaceAll("8787", relay).replaceAll("8788", sandbox);
    writeFileSync(join(folder, "porchlight.env"), `${moved(snippet("sh rehearsal"))}PORT=${relay}\n`);
    await start(lines("sh start"), "relay.started");
    await start(moved(snippet("sh service")), "Inbox", { SANDBOX_PORT: sandbox });
    expect(run("npm run -s porchlight -- try").match(/^ok/gm)).toHaveLength(3);
    expect(run("npm run -s porchlight -- doctor").match(/^FAIL.*/gm)).toEqual([
      `FAIL  callback address: http://localhost:${relay} answers, but is an address of this machine only`,
    ]);
  });
});
