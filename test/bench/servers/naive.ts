/**
 * A relay as one would write it in an afternoon: Express, Socket.IO, `fetch`, and the conversations in memory. It is
 * not slowed down on purpose: WebSocket transport, no compression, one room per visitor. `node naive.ts <service>`
 * sends its port to its parent.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { Server } from "socket.io";

type Entry = { from: "visitor" | "reply"; text: string; at: number };

const SERVICE = `${process.argv[2] ?? ""}/v1/incoming_custom_channel_message?apiKey=key`;
const conversations = new Map<string, Entry[]>();

function keep(visitor: string, entry: Entry): void {
  const conversation = conversations.get(visitor) ?? [];
  conversation.push(entry);
  conversations.set(visitor, conversation);
}

const app = express();
app.use(express.json());
const server = createServer(app);
const io = new Server(server, { transports: ["websocket"], cors: { origin: true } });

app.post("/callbacks/reply", (request, response) => {
  const { toId, body } = request.body as { toId: string; body: string };
  keep(toId, { from: "reply", text: body, at: Date.now() });
  io.to(toId).emit("message", { text: body, from: "reply" });
  response.json({ success: true });
});

io.on("connection", (socket) => {
  const visitor = (socket.handshake.auth.visitor as string | undefined) ?? randomUUID();
  void socket.join(visitor);
  socket.emit("welcome", { visitor, history: conversations.get(visitor) ?? [] });
  socket.on("message", async ({ id, text }: { id: string; text: string }) => {
    keep(visitor, { from: "visitor", text, at: Date.now() });
    const answer = await fetch(SERVICE, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ customData: { messageSid: id, fromId: visitor, toId: "website", body: text } }),
    });
    await answer.json();
    if (answer.ok) socket.emit("message", { id, text, from: "visitor" });
  });
});

// Longer than the other servers' rounds, so that connections stay open meanwhile.
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
