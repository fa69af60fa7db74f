import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { pack } from "../relay/deploy/pack.ts";
import { startSandbox } from "../relay/sandbox/server.ts";
import { launch } from "./browser/browser.ts";

const KEY = "key-of-the-packages";

/** Serves a page that imports the widget from the `node_modules` of an empty project, without a bundler. */
async function servePage(folder: string): Promise<{ origin: string; close: () => void }> {
  const root = join(folder, "node_modules", "@porchlight", "widget");
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: { ".": { default: string } };
  };
  const page = `<!doctype html><title>Empty project</title><script type="module">
    import { mount } from "${exports["."].default.replace(/^\./, "")}";
    const relay = new URLSearchParams(location.search).get("relay");
    await (await mount({ relay })).open();
  </script>`;
  const server = createServer(({ url = "/" }, answer) => {
    const { pathname } = new URL(url, "http://localhost");
    if (pathname === "/") return void answer.setHeader("Content-Type", "text/html").end(page);
    answer.setHeader("Content-Type", "text/javascript").end(readFileSync(join(root, pathname)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/** A visitor chats on a page with the installed widget. */
async function chatOnPage(address: string, text: string): Promise<void> {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(address);
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.keyboard.press("Enter");
    await page.getByText(`echo: ${text}`).waitFor();
  } finally {
    await browser.close();
  }
}

it("the packed relay, widget and client work in an empty project: a visitor chats, and the client reads the conversation", {
  timeout: 600_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-empty-"));
  const sandbox = await startSandbox({ config: { apiKey: KEY, rateLimit: 0 } });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  mkdirSync(join(folder, "data"));
  const tarballs = pack(join(folder, "packages"));
  execFileSync("npm", ["install", ...tarballs, "--no-audit", "--no-fund", "--silent"], { cwd: folder });
  const site = await servePage(folder);
  const env = {
    PATH: `${join(process.execPath, "..")}:${process.env.PATH}`,
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: join(folder, "data"),
    ALLOWED_ORIGINS: site.origin,
    SERVICE_URL: sandbox.url.replace(/\/?$/, ""),
    SERVICE_API_KEY: KEY,
    CALLBACK_SECRET: "secret-of-the-packages",
  };
  const program = join(folder, "node_modules", ".bin", "porchlight");
  const relay = spawn(program, ["serve"], { cwd: folder, env });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      let output = "";
      for (const stream of [relay.stdout, relay.stderr])
        createInterface(stream).on("line", (line) => {
          output += `${line}\n`;
          if (line.includes("relay.started")) resolve((JSON.parse(line) as { port: number }).port);
        });
      relay.once("exit", () => reject(new Error(output)));
    });
    const url = `http://127.0.0.1:${port}`;
    sandbox.configure({ callbackUrl: `${url}/callbacks/reply/secret-of-the-packages` });
    await chatOnPage(`${site.origin}/?relay=${encodeURIComponent(url)}`, "from the package");

    const token = execFileSync(program, ["token", "add", "backend"], { cwd: folder, env, encoding: "utf8" }).trim();
    const script = `import { createClient } from "@porchlight/client";
      const client = createClient({ url: ${JSON.stringify(url)}, token: ${JSON.stringify(token)} });
      const { items } = await client.listVisitors();
      console.log(items.length, items[0].messages);`;
    writeFileSync(join(folder, "main.js"), script);
    expect(execFileSync(process.execPath, ["main.js"], { cwd: folder, encoding: "utf8" }).trim()).toBe("1 2");
  } finally {
    relay.kill("SIGTERM");
    if (relay.exitCode === null) await once(relay, "exit");
    await sandbox.close();
    site.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
