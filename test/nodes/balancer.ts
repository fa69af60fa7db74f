/** nginx in front of several relays, configured as in relay/docs/guides/cluster.md. */

import { runNginx } from "../nginx.ts";
import { freePort } from "../ports.ts";
import type { Front } from "../setup/front.ts";

/**
 * Tells nginx never to mark a relay as failed. Otherwise nginx answers 502 immediately once it considers all relays failed,
 * for example after a rolling restart.
 */
const server = (port: number, backup: boolean): string =>
  `server 127.0.0.1:${port} max_fails=0${backup ? " backup" : ""};`;

const upstream = (name: string, [first = 0, ...others]: readonly number[]): string => `
  upstream ${name} {
    ${server(first, false)}
    ${others.map((port) => server(port, true)).join("\n    ")}
    keepalive 32;
  }`;

/**
 * nginx passes a callback to the next relay when the first is unreachable or closes the connection. A second delivery does
 * no harm, because relays recognise replies by their ids.
 */
const configuration = (port: number, { callbacks, visitors }: Ports): string => `
  ${upstream("callbacks", callbacks)}
  ${upstream("visitors", visitors)}
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_connect_timeout 1s;
    location /callbacks/ {
      proxy_pass http://callbacks;
      proxy_set_header Connection "";
      proxy_next_upstream error timeout http_502 http_503 non_idempotent;
      proxy_read_timeout 10s;
      proxy_next_upstream_timeout 20s;
    }
    location / {
      proxy_pass http://visitors;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "upgrade";
      proxy_read_timeout 120s;
    }
  }`;

/**
 * Ports of the relays for callbacks and for visitors. The first relay takes all requests; the others replace it while it is
 * down.
 */
type Ports = { callbacks: readonly number[]; visitors: readonly number[] };

/** Starts nginx on a free port; resolves once it passes `/healthz` on to a relay. */
export async function startBalancer(ports: Ports): Promise<Front> {
  const port = await freePort();
  return runNginx(port, configuration(port, ports));
}
