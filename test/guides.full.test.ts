import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { judgedWebhooks, signedPerson, wordpressFooter } from "./backends.ts";
import { snippet, snippets } from "./guides.ts";
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
  expect(await signedPerson(name)).toMatchObject({ subject: "7", email: "ada@example.com" });
});

it.each(["python", "php"] as const)("distinguishes genuine webhooks from forged and old ones: %s", (name) => {
  expect(judgedWebhooks(name)).toEqual(["yes", "yes", "no", "no", "no", "no"]);
});

it("prints the tag in the footer of WordPress", () => {
  expect(wordpressFooter()).toBe(snippet("html tag").trim());
});

it("starts the relay by hand, and shows the tag and the problems, as the page says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
  const [settings = ""] = snippets("sh environment");
  writeFileSync(join(folder, "porchlight.env"), `${settings.replaceAll(/^ +/gm, "")}\nPORT=0\n`);
  /** Runs the page's commands on separate data. */
  const lines = (kind: string): string =>
    snippet(kind)
      .replaceAll(/\.?\/?\bdata\b(?=$| node)/gm, join(folder, "data"))
      .replaceAll("porchlight.env", join(folder, "porchlight.env"));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const relay = spawn("sh", ["-ec", lines("sh start").replace("DATA_DIR", "exec env DATA_DIR")], { cwd: ROOT, env });
  try {
    let said = "";
    for (const stream of [relay.stdout, relay.stderr]) stream.on("data", (chunk) => (said += chunk));
    await expect.poll(() => said).toContain("relay.started");
    const look = spawnSync("sh", ["-c", lines("sh look")], {
      cwd: ROOT,
      env: { ...env, DATA_DIR: join(folder, "data") },
      encoding: "utf8",
    });
    expect(look.stdout).toContain('<script async src="https://chat.example.com/widget.js"');
    expect(look.stdout).toContain("Custom Channel Webhook: https://chat.example.com/callbacks/reply/");
    // No service answers at service.example.
    expect(look.stdout).toMatch(/^FAIL/m);
  } finally {
    relay.kill("SIGTERM");
    await once(relay, "exit");
    rmSync(folder, { recursive: true });
  }
});
