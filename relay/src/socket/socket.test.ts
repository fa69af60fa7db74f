import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { silentLog } from "../base/log.ts";
import { createPlaces } from "../base/places.ts";
import type { Connections } from "./connections.ts";
import type { Connection, Line } from "./live.ts";
import { serveSockets } from "./socket.ts";

it("a ping is answered by the client itself, and by nobody who sleeps", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const lines: Line[] = [];
  const heard: unknown[] = [];
  const connections = {
    accept: (line: Line) => ({ number: lines.push(line) }) as unknown as Connection,
    alive: (connection: unknown) => void heard.push(connection),
    receive: () => {},
    lost: () => {},
  } as unknown as Connections;
  const same = (): string => "address";
  serveSockets({
    server,
    connections,
    log: silentLog,
    allows: () => true,
    addressOf: same,
    remoteOf: same,
    places: createPlaces({ perAddress: 0, total: 0 }),
  });
  const address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/socket`;
  const sleeper = new WebSocket(address, { origin: "https://shop.example", autoPong: false });
  await once(sleeper, "open");
  const client = new WebSocket(address, { origin: "https://shop.example" });
  await once(client, "open");
  const reached = once(sleeper, "ping");
  for (const line of lines) line.ping?.();
  await reached;
  await expect.poll(() => heard).toEqual([{ number: 2 }]);
  client.terminate();
  sleeper.terminate();
  server.close();
});
