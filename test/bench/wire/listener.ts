/**
 * A minimal HTTP/1.1 server for load drivers: takes JSON bodies, and lets the caller answer at any time. As small as
 * possible for the reason given in `load-client.ts`.
 */
import { type AddressInfo, createServer, type Socket } from "node:net";

/** Answers one request: a status line such as `200 OK`, more header lines each with `\r\n`, and a JSON body. */
export type Answer = (status: string, headers: string, body: string) => void;

export type Listener = { url: string; close: () => void };

/** Length of the head and of the whole request at the beginning of `data`; undefined while it is incomplete. */
function requestOf(data: Buffer): [head: number, length: number] | undefined {
  const end = data.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [, length = "0"] = /\r\ncontent-length: *(\d+)/i.exec(data.toString("latin1", 0, end)) ?? [];
  const whole = end + 4 + Number(length);
  return data.length < whole ? undefined : [end + 4, whole];
}

const answerOn =
  (socket: Socket): Answer =>
  (status, headers, body) =>
    void socket.write(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );

/** Listens on a free port of this machine. @param take is called with each body */
export async function listenForPosts(take: (body: string, answer: Answer) => void): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    let rest: Buffer = Buffer.alloc(0);
    const answer = answerOn(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let found = requestOf(rest); found !== undefined; found = requestOf(rest)) {
        const [head, length] = found;
        const body = rest.toString("utf8", head, length);
        rest = rest.subarray(length);
        take(body, answer);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 }, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
