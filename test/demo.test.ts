import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { freePort } from "./ports.ts";
import { runCommand } from "./shell.ts";

const DEMO = join(import.meta.dirname, "..", "relay", "demo", "main.ts");

it("the demo accepts commands and the sign-in of an operator, and prints the tag for pages of ALLOWED_ORIGINS", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "porchlight-demo-"));
  const [PORT, SANDBOX_PORT, SHOP_PORT] = (await Promise.all([freePort(), freePort(), freePort()])).map(String);
  const env = {
    ...COMPILE_CACHE,
    PORT,
    SANDBOX_PORT,
    SHOP_PORT,
    DATA_DIR: dataDir,
    ALLOWED_ORIGINS: "http://localhost:5500",
  };
  const demo = spawn(process.execPath, [DEMO], { env });
  const ended = once(demo, "exit");
  const lines: string[] = [];
  for await (const line of createInterface(demo.stdout)) {
    lines.push(line);
    if (line.startsWith("Ctrl-C")) break;
  }
  const [, token = ""] = /\/admin .* Sign in with (\S+)$/m.exec(lines.join("\n")) ?? [];
  const signedIn = await fetch(`http://localhost:${PORT}/admin/login`, {
    method: "POST",
    body: new URLSearchParams({ token }),
    headers: { Origin: `http://localhost:${PORT}` },
    redirect: "manual",
  });
  const { code, out } = await runCommand(["site"], { DATA_DIR: dataDir });
  demo.kill("SIGTERM");
  expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "/admin"]);
  expect(await ended).toEqual([0, null]);
  expect([code, out]).toEqual([0, expect.stringContaining(`http://localhost:${PORT}/callbacks/reply/`)]);
  expect(out).toContain(
    `http://localhost:${SHOP_PORT} http://127.0.0.1:${SHOP_PORT} http://localhost:5500 http://127.0.0.1:5500 `,
  );
  const [tag = ""] = /<script .*<\/script>/.exec(out) ?? [];
  expect(lines).toContain("Pages of http://localhost:5500 and http://127.0.0.1:5500 may open the chat with this tag:");
  expect(lines).toContain(`  ${tag}`);
  rmSync(dataDir, { recursive: true });
});
