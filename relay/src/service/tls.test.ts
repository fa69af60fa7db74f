import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../sandbox/server.ts";

/** A self-signed certificate for 127.0.0.1. */
function certificate(): { file: string; tls: { cert: string; key: string } } {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const names = ["-subj", "/CN=sandbox", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", file];
  execFileSync("openssl", [...request, ...names], { stdio: "ignore" });
  return { file, tls: { cert: readFileSync(file, "utf8"), key: readFileSync(key, "utf8") } };
}

/** A program that sends one message with the relay's client. */
const PROGRAM = `
  const { createService } = await import(process.env.CLIENT);
  const service = createService({ baseUrl: process.env.BASE, key: () => process.env.KEY });
  const message = { messageSid: "sid-1", fromId: "v_ada", toId: "shop", body: "over TLS", channel: "website" };
  const { kind, status } = await service.incoming(message);
  console.log(JSON.stringify({ kind, status }));
  await service.close();
`;

/** Sends a message from a process of its own, because Node reads the trusted authorities at its start. @returns the outcome */
async function sendWith(env: Record<string, string>): Promise<unknown> {
  const CLIENT = new URL("./api.ts", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM], {
    env: { PATH: process.env.PATH, CLIENT, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const part of child.stdout) output += String(part);
  return JSON.parse(output);
}

it("the relay calls the service over TLS, and sends nothing to a server with an untrusted certificate", async () => {
  const { file, tls } = certificate();
  const sandbox = await startSandbox({ tls, config: { botActive: false } });
  onTestFinished(() => sandbox.close());
  expect(sandbox.url).toMatch(/^https:/);
  const env = { BASE: sandbox.url, KEY: sandbox.config.apiKey };
  expect(await sendWith(env)).toEqual({ kind: "transient", status: 0 });
  expect(sandbox.counts()).toMatchObject({ requests: 0 });
  expect(await sendWith({ ...env, NODE_EXTRA_CA_CERTS: file })).toEqual({ kind: "ok", status: 200 });
  expect(sandbox.messages().map(({ body }) => body)).toEqual(["over TLS"]);
});
