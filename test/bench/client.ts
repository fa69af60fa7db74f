import { randomId } from "@porchlight/shared/id";
import { WebSocket } from "ws";
import { ORIGIN } from "./servers.ts";

/** A connected visitor: `ask` sends a message and resolves when its reply is there. */
export type Client = { ask: (text: string) => Promise<void>; close: () => void };

export function connect(port: number): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, { origin: ORIGIN, perMessageDeflate: false });
    let answered: (() => void) | undefined;
    socket.once("error", reject);
    socket.once("open", () => socket.send('{"t":"hello","v":1,"site":"default"}'));
    socket.on("message", (data) => {
      const text = String(data);
      if (text.includes('"from":"reply"')) answered?.();
      else if (text.startsWith('{"t":"welcome"')) resolve(client);
    });
    const client: Client = {
      ask: (text) =>
        new Promise((done) => {
          answered = done;
          socket.send(JSON.stringify({ t: "send", id: randomId(16), text }));
        }),
      close: () => socket.terminate(),
    };
  });
}

/** Many clients, a few at a time, so that the connects do not fill the backlog. */
export async function connectMany(port: number, count: number): Promise<Client[]> {
  const clients: Client[] = [];
  while (clients.length < count) {
    clients.push(
      ...(await Promise.all(Array.from({ length: Math.min(100, count - clients.length) }, () => connect(port)))),
    );
  }
  return clients;
}
