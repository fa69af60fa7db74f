import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { pack } from "../relay/deploy/pack.ts";
import { startSandbox } from "../relay/sandbox/server.ts";
import { createVisitor } from "./visitor.ts";

const ORIGIN = "https://www.example.com";
const KEY = "key-of-the-packages";

it("the packed relay, widget and client work in an empty project: a visitor chats, and the client reads the conversation", {
  timeout: 600_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-empty-"));
  const sandbox = await startSandbox({ config: { apiKey: KEY, rateLimit: 0 } });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  mkdirSync(join(folder, "data"));
  const tarballs = pack(join(folder, "packages"));
  execFileSync("npm", ["install", ...tarballs, "--no-audit", "--no-fund", "--silent"], { cwd: folder });
  const env = {
    PATH: `${join(process.execPath, "..")}:${process.env.PATH}`,
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: join(folder, "data"),
    ALLOWED_ORIGINS: ORIGIN,
    SERVICE_URL: sandbox.url.replace(/\/?$/, ""),
    SERVICE_API_KEY: KEY,
    CALLBACK_SECRET: "secret-of-the-packages",
  };
  const program = join(folder, "node_modules", ".bin", "porchlight");
  const relay = spawn(program, ["serve"], { cwd: folder, env });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      let said = "";
      for (const stream of [relay.stdout, relay.stderr])
        createInterface(stream).on("line", (line) => {
          said += `${line}\n`;
          if (line.includes("relay.started")) resolve((JSON.parse(line) as { port: number }).port);
        });
      relay.once("exit", () => reject(new Error(said)));
    });
    const url = `http://127.0.0.1:${port}`;
    sandbox.configure({ callbackUrl: `${url}/callbacks/reply/secret-of-the-packages` });
    const visitor = createVisitor(url, { origin: ORIGIN });
    await visitor.connect();
    await visitor.send("from the package");
    await visitor.hears("echo: from the package");
    expect((await fetch(`${url}/widget.js`)).status).toBe(200);
    await visitor.drop();

    const token = execFileSync(program, ["token", "add", "backend"], { cwd: folder, env, encoding: "utf8" }).trim();
    const script = `import { createClient } from "@porchlight/client";
      import * as widget from "@porchlight/widget";
      const client = createClient({ url: ${JSON.stringify(url)}, token: ${JSON.stringify(token)} });
      const { items } = await client.listVisitors();
      console.log(typeof widget.mount, items.length, items[0].messages);`;
    writeFileSync(join(folder, "main.js"), script);
    expect(execFileSync(process.execPath, ["main.js"], { cwd: folder, encoding: "utf8" }).trim()).toBe("function 1 2");
  } finally {
    relay.kill("SIGTERM");
    if (relay.exitCode === null) await once(relay, "exit");
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
