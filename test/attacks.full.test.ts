import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COMPILE_CACHE } from "./compile-cache.ts";

it("no attack succeeds when every attack runs as often as in npm run attacks", {
  timeout: 3_600_000,
}, async () => {
  const program = join(import.meta.dirname, "attacks", "main.ts");
  const child = fork(program, ["--check"], { env: { ...process.env, ...COMPILE_CACHE }, execArgv: [], silent: true });
  const output: string[] = [];
  child.stdout?.on("data", (data) => output.push(String(data)));
  child.stderr?.on("data", (data) => output.push(String(data)));
  const [code] = (await once(child, "exit")) as [number];
  expect(code, output.join("").slice(-3_000)).toBe(0);
});
