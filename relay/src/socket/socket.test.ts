import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { silentLog } from "../base/log.ts";
import { createPlaces } from "../base/places.ts";
import type { Connection, Transport } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { serveSockets } from "./socket.ts";

it("sends a ping with a frame; a live client answers it, a sleeping one does not", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const transports: Transport[] = [];
  const heard: unknown[] = [];
  const connections = {
    accept: (transport: Transport) => ({ number: transports.push(transport) }) as unknown as Connection,
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
  const texts = Promise.all([once(sleeper, "message"), once(client, "message")]);
  const reached = once(sleeper, "ping");
  for (const transport of transports) transport.sendHeartbeat?.("hello", true);
  await reached;
  expect((await texts).map(([text]) => String(text))).toEqual(["hello", "hello"]);
  await expect.poll(() => heard).toEqual([{ number: 2 }]);
  client.terminate();
  sleeper.terminate();
  server.close();
});
