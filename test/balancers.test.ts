/**
 * The files for load balancers in relay/deploy and in the guides, with real nginx and Caddy: every callback must arrive although
 * one of two relays dies in the middle of its callbacks.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { forInstalledCaddy, isCaddyBefore, startCaddy } from "./caddy.ts";
import { snippet } from "./guides.ts";
import { nginxConfiguration, runNginx } from "./nginx.ts";
import { freePort } from "./ports.ts";
import type { Front } from "./setup/front.ts";
import { caddyPath, nginxPath } from "./setup/programs.ts";

const ROOT = join(import.meta.dirname, "..", "relay");
const CALLBACKS = 10;
const BODY = '{"event":"reply"}';

let dying: Server;
let living: Server;
let ports: [number, number];
/** Bodies of the callbacks that the living relay received. */
let received: string[] = [];

const listen = (listener: RequestListener): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer(listener).listen(0, "127.0.0.1", () => resolve(server));
  });
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  dying = await listen((request, response) => {
    if (request.url === "/healthz") return void response.end();
    request.resume().on("end", () => request.socket.destroy());
  });
  living = await listen((request, response) => {
    if (request.url === "/healthz") return void response.end();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push(Buffer.concat(chunks).toString());
      response.end("{}");
    });
  });
  ports = [portOf(dying), portOf(living)];
});
afterAll(() => {
  for (const server of [dying, living]) server.close();
});

/** Posts callbacks one after another. @returns the statuses of the answers, each once */
async function statuses(front: Front, body: string): Promise<number[]> {
  received = [];
  const seen = new Set<number>();
  for (let i = 0; i < CALLBACKS; i++)
    seen.add((await fetch(`${front.url}/callbacks/reply/secret`, { method: "POST", body })).status);
  return [...seen];
}

const folderFor = (name: string): string => mkdtempSync(join(tmpdir(), `porchlight-${name}-`));

/** The file with the addresses of the two test servers in place of its relays. */
const withTestServers = (file: string): string =>
  file.replaceAll(/10\.0\.0\.(\d):8787/g, (_, n: string) => `127.0.0.1:${ports[Number(n) - 1]}`);

it("Caddy, with relay/deploy/Caddyfile, repeats callbacks whose relay dies", async () => {
  const file = readFileSync(join(ROOT, "deploy", "Caddyfile"), "utf8");
  const caddy = await startCaddy(file, await freePort(), ports);
  try {
    expect(await statuses(caddy, "")).toEqual([200]);
    expect(received).toHaveLength(CALLBACKS);
    // Older releases repeat no request with a body, as relay/docs/guides/deploy.md says.
    if (!isCaddyBefore([2, 11, 2])) {
      expect(await statuses(caddy, BODY)).toEqual([200]);
      expect(received).toEqual(Array(CALLBACKS).fill(BODY));
    }
  } finally {
    await caddy.stop();
  }
});

it('nginx, configured as in the guide "Several nodes", repeats callbacks whose relay dies', async () => {
  const port = await freePort();
  const block = withTestServers(snippet("nginx callbacks"));
  const [upstreams = "", location = ""] = block.split(/(?=^location)/m);
  const health = "location /healthz { return 200; }";
  const nginx = await runNginx(port, `${upstreams} server { listen 127.0.0.1:${port}; ${location} ${health} }`);
  try {
    expect(await statuses(nginx, BODY)).toEqual([200]);
    expect(received).toEqual(Array(CALLBACKS).fill(BODY));
  } finally {
    await nginx.stop();
  }
});

it("nginx, configured as by the Kubernetes ingress, repeats callbacks, and no other requests", async () => {
  type Ingress = { kind: string; metadata: { annotations: Record<string, string> }; spec: { rules: Rule[] } };
  type Rule = { http: { paths: { path: string }[] } };
  const documents = parseAllDocuments(readFileSync(join(ROOT, "deploy", "kubernetes", "cluster.yaml"), "utf8"));
  const ingresses = documents.map((one) => one.toJS() as Ingress).filter(({ kind }) => kind === "Ingress");
  const locations = ingresses.flatMap(({ metadata, spec }) =>
    spec.rules.flatMap(({ http }) =>
      http.paths.map(({ path }) => {
        const next = metadata.annotations["nginx.ingress.kubernetes.io/proxy-next-upstream"];
        const repeats = `proxy_next_upstream ${next ?? "error timeout"}; proxy_next_upstream_tries 3;`;
        return `location ${path} { proxy_pass http://relays; proxy_http_version 1.1; ${repeats} }`;
      }),
    ),
  );
  const servers = ports.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join(" ");
  const port = await freePort();
  const nginx = await runNginx(
    port,
    `upstream relays { ${servers} } server { listen 127.0.0.1:${port}; ${locations.join("\n")} }`,
  );
  try {
    expect(await statuses(nginx, BODY)).toEqual([200]);
    expect(received).toEqual(Array(CALLBACKS).fill(BODY));
    const api = `${nginx.url}/api/v1/messages`;
    const others = [await fetch(api, { method: "POST" }), await fetch(api, { method: "POST" })];
    expect(others.map(({ status }) => status)).toContain(502);
  } finally {
    await nginx.stop();
  }
});

it('Caddy and nginx accept the files of the guide "Deployment"', () => {
  const folder = folderFor("guide");
  const caddyfile = join(folder, "Caddyfile");
  writeFileSync(caddyfile, forInstalledCaddy(snippet("caddy site")));
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const validate = ["validate", "--config", caddyfile, "--adapter", "caddyfile"];
  expect(() => execFileSync(caddyPath(), validate, { env, stdio: "pipe" })).not.toThrow();

  const names = [join(folder, "key.pem"), join(folder, "certificate.pem")] as const;
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=chat.example.com"];
  execFileSync("openssl", [...request, "-keyout", names[0], "-out", names[1]], { stdio: "pipe" });
  const servers = snippet("nginx site")
    .replace(/\/etc\/ssl\/\S+\.pem/, names[1])
    .replace(/\/etc\/ssl\/\S+\.key/, names[0])
    .replace("listen 443", "listen 127.0.0.1:20443");
  const nginxFile = join(folder, "nginx.conf");
  writeFileSync(nginxFile, nginxConfiguration(folder, servers));
  expect(() => execFileSync(nginxPath(), ["-t", "-p", folder, "-c", nginxFile], { stdio: "pipe" })).not.toThrow();
  rmSync(folder, { recursive: true });
});
