import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { COMPILED } from "./compiled.ts";
import { freePort } from "./ports.ts";
import { runCommand } from "./shell.ts";

const DEMO = join(import.meta.dirname, "..", "relay", "demo", "main.ts");

it("the demo's relay accepts commands, and also serves the reader's own page", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "porchlight-demo-"));
  const [PORT, SANDBOX_PORT, SHOP_PORT] = (await Promise.all([freePort(), freePort(), freePort()])).map(String);
  const env = {
    ...COMPILED,
    PORT,
    SANDBOX_PORT,
    SHOP_PORT,
    DATA_DIR: dataDir,
    ALLOWED_ORIGINS: "http://localhost:5500",
  };
  const demo = spawn(process.execPath, [DEMO], { env });
  const ended = once(demo, "exit");
  for await (const line of createInterface(demo.stdout)) if (line.startsWith("Ctrl-C")) break;
  const { code, out } = await runCommand(["site"], { DATA_DIR: dataDir });
  demo.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect([code, out]).toEqual([0, expect.stringContaining(`http://localhost:${PORT}/callbacks/reply/`)]);
  expect(out).toContain(`http://localhost:${SHOP_PORT} http://127.0.0.1:${SHOP_PORT} http://localhost:5500 `);
  rmSync(dataDir, { recursive: true });
});
