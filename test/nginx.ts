/** A real nginx in front of the relay, configured for WebSockets as its manual says, otherwise with default settings. */

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { type Front, runFront } from "./setup/front.ts";
import { nginxPath } from "./setup/programs.ts";

/** The configuration of one process with a separate folder for its files. @param http additional content of the `http` block */
export const nginxConfiguration = (folder: string, http: string): string => `
daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${http}
}`;

/** A server in front of the relay (https://nginx.org/en/docs/http/websocket.html). */
const serverBlock = (port: number, target: string, seconds?: number): string => `
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${target};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "upgrade";
      proxy_set_header Host $host;
      ${seconds === undefined ? "" : `proxy_read_timeout ${seconds}s;`}
    }
  }`;

/**
 * @param target the relay's address
 * @param seconds of silence after which nginx closes a connection; absent: nginx's default of 60
 */
export async function startNginx(target: string, seconds?: number): Promise<Front> {
  const port = await freePort();
  return runNginx(port, serverBlock(port, target, seconds));
}

/** Runs nginx until its server on `port` passes `/healthz` on. @param http the `http` block of its configuration */
export async function runNginx(port: number, http: string): Promise<Front> {
  const folder = await mkdtemp(join(tmpdir(), "porchlight-nginx-"));
  const file = join(folder, "nginx.conf");
  await writeFile(file, nginxConfiguration(folder, http));
  return runFront([nginxPath(), "-p", folder, "-c", file], port, folder);
}
