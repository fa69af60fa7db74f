import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { promisify } from "node:util";
import { CLOSE } from "@porchlight/shared/close";
import { expect, it } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { createConnectionSlots } from "../base/connection-slots.ts";
import { silentLog } from "../base/log.ts";
import type { Connection, Transport } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { serveSockets } from "./socket.ts";

/** A server that passes its transports to the test. `answered`: the connections whose client answered a ping. */
async function startServer() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const transports: Transport[] = [];
  const answered: unknown[] = [];
  const connections = {
    slot: async () => {},
    accept: (transport: Transport) => ({ number: transports.push(transport) }) as unknown as Connection,
    alive: (connection: unknown) => void answered.push(connection),
    receive: () => {},
    lost: () => {},
  } as unknown as Connections;
  const same = (): string => "address";
  serveSockets({
    server,
    connections,
    log: silentLog,
    allows: () => true,
    networkOf: same,
    addressOf: same,
    slots: createConnectionSlots({ perAddress: 0, total: 0 }),
  });
  const address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/socket`;
  return { server, transports, answered, address };
}

async function connect(address: string, options: ClientOptions = {}): Promise<WebSocket> {
  const client = new WebSocket(address, { origin: "https://shop.example", ...options });
  await once(client, "open");
  return client;
}

it("sends a ping with a frame; a live client answers it, a sleeping one does not", async () => {
  const { server, transports, answered, address } = await startServer();
  const sleeper = await connect(address, { autoPong: false });
  const client = await connect(address);
  const texts = Promise.all([once(sleeper, "message"), once(client, "message")]);
  const reached = once(sleeper, "ping");
  for (const transport of transports) transport.sendHeartbeat?.("hello", true);
  await reached;
  expect((await texts).map(([text]) => String(text))).toEqual(["hello", "hello"]);
  await expect.poll(() => answered).toEqual([{ number: 2 }]);
  client.terminate();
  sleeper.terminate();
  server.close();
});

it("counts the pings of a client, which cost as much as its pongs (A28)", async () => {
  const { server, answered, address } = await startServer();
  const client = await connect(address);
  client.ping();
  client.ping();
  await expect.poll(() => answered).toEqual([{ number: 1 }, { number: 1 }]);
  client.terminate();
  server.close();
});

it("sends texts of every length and alphabet unchanged and in order, before heartbeat and close that follow", async () => {
  const { server, transports, address } = await startServer();
  const client = await connect(address);
  const texts = [
    "",
    "x".repeat(125),
    "x".repeat(126),
    "Grüße 👋 日本",
    "é".repeat(63),
    "x".repeat(65_535),
    "y".repeat(65_536),
  ];
  const received: string[] = [];
  client.on("message", (data) => received.push(String(data)));
  const closed = once(client, "close");
  const [transport] = transports;
  for (const text of texts) transport?.send(text);
  transport?.send("last");
  transport?.sendHeartbeat?.("beat", true);
  transport?.send("farewell");
  transport?.close(CLOSE.restart);
  transport?.send("too late");
  expect((await closed)[0]).toBe(CLOSE.restart.code);
  expect(received).toEqual([...texts, "last", "beat", "farewell"]);
  server.close();
});

it("sends the short texts of one tick in one write", async () => {
  const { server, transports, address } = await startServer();
  const client = await connect(address);
  const socket = (client as unknown as { _socket: Socket })._socket;
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  for (const text of ["one", "two", "three"]) transports[0]?.send(text);
  await once(client, "message");
  expect(chunks.map(String)).toEqual(
    ["\x81\x03one\x81\x03two\x81\x05three"].map((bytes) => String(Buffer.from(bytes, "latin1"))),
  );
  client.terminate();
  server.close();
});

it("cuts off a client that has much unread, whatever the reason, but lets it read when the relay restarts (A28)", async () => {
  const { server, transports, address } = await startServer();
  const clients = [await connect(address), await connect(address)];
  for (const client of clients) client.pause();
  for (const transport of transports)
    await expect
      .poll(() => {
        transport.send("x".repeat(1_000_000));
        return transport.buffered();
      })
      .toBeGreaterThan(1_000_000);
  transports[0]?.close(CLOSE.protocol);
  transports[1]?.close(CLOSE.restart);
  const open = (): Promise<number> => promisify(server.getConnections.bind(server))();
  await expect.poll(open).toBe(1);
  const [closed] = clients.slice(1).map((client) => once(client, "close"));
  for (const client of clients) client.resume();
  expect((await closed)?.[0]).toBe(CLOSE.restart.code);
  server.close();
});
