/** A proxy between browser and relay that fails like real proxies. */

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export type FaultyProxy = {
  url: string;
  /** How the proxy handles WebSocket upgrades: it passes them, answers 403, or never answers. */
  upgrades: "pass" | "refuse" | "hang";
  /** Answers 502 to every request, as if the relay were stopped, and closes all open connections. */
  down: boolean;
  /** Buffers each answer until it is complete. */
  buffers: boolean;
  /** Method and path of every request. */
  seen: string[];
  /** Silently drops all further data of the open WebSockets. */
  freeze: () => void;
  stop: () => Promise<void>;
};

type ProxyState = FaultyProxy & {
  /** Returns the relay's address. */
  target: () => string;
  /** Both ends of every open WebSocket. */
  tunnels: Set<Duplex>;
};

/** @param target returns the relay's address; called for each request */
export async function startProxy(target: () => string): Promise<FaultyProxy> {
  const server = createServer((incoming, outgoing) => serve(proxy, incoming, outgoing));
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
    upgrade(proxy, incoming, socket, head),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const tunnels = new Set<Duplex>();
  let down = false;
  const proxy: ProxyState = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target,
    tunnels,
    upgrades: "pass",
    get down() {
      return down;
    },
    set down(now) {
      down = now;
      if (now) for (const tunnel of tunnels) tunnel.destroy();
    },
    buffers: false,
    seen: [],
    freeze() {
      for (const tunnel of tunnels) {
        tunnel.unpipe();
        tunnel.pause();
      }
    },
    async stop() {
      for (const tunnel of tunnels) tunnel.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** Answers a request that is not an upgrade. */
function serve(proxy: ProxyState, incoming: IncomingMessage, outgoing: ServerResponse): void {
  proxy.seen.push(`${incoming.method} ${incoming.url}`);
  if (proxy.down) outgoing.writeHead(502).end("<h1>502 Bad Gateway</h1>");
  else pass(proxy, incoming, outgoing);
}

/** Answers an upgrade as `upgrades` and `down` say. */
function upgrade(proxy: ProxyState, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  proxy.seen.push(`UPGRADE ${incoming.url}`);
  socket.on("error", () => socket.destroy());
  proxy.tunnels.add(socket);
  socket.on("close", () => proxy.tunnels.delete(socket));
  const refusal = proxy.down ? "502 Bad Gateway" : "403 Forbidden";
  if (proxy.down || proxy.upgrades === "refuse")
    return void socket.end(`HTTP/1.1 ${refusal}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  if (proxy.upgrades === "pass") tunnel(proxy, incoming, socket, head);
}

function pass(proxy: ProxyState, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers, url = "/" } = incoming;
  const upstream = request(new URL(url, proxy.target()), { method, headers }, (answer) => {
    const chunks: Buffer[] = [];
    if (!proxy.buffers) {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      return void answer.pipe(outgoing);
    }
    answer.on("data", (chunk: Buffer) => chunks.push(chunk));
    answer.on("end", () => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.end(Buffer.concat(chunks));
    });
  });
  upstream.on("error", () => outgoing.destroy());
  outgoing.on("close", () => upstream.destroy());
  incoming.pipe(upstream);
}

function tunnel(proxy: ProxyState, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { hostname, port } = new URL(proxy.target());
  const upstream: Socket = connect(Number(port), hostname, () => {
    const lines = incoming.rawHeaders.flatMap((name, at, all) => (at % 2 ? [] : [`${name}: ${all[at + 1]}`]));
    upstream.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
  });
  upstream.on("error", () => socket.destroy());
  socket.on("close", () => upstream.destroy());
  proxy.tunnels.add(upstream);
  upstream.on("close", () => proxy.tunnels.delete(upstream));
}
