/** A TCP proxy that fails during a connection: it drops bytes, or closes the connection before an answer arrives. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Cutter = {
  url: string;
  /** Silently drops all bytes of the existing connections. New connections work. */
  blackHole: () => void;
  /** Cuts the connection instead of forwarding the first answer that contains this text. Resolves when that has happened. */
  cutBefore: (text: string) => Promise<void>;
  /** Number of accepted connections. */
  readonly connections: number;
  stop: () => Promise<void>;
};

type Pair = { client: Socket; server: Socket; dead: boolean };

/** @param target returns the relay's port; called for each connection */
export async function startCutter(target: () => number): Promise<Cutter> {
  const pairs = new Set<Pair>();
  let connections = 0;
  let cut: { text: string; done: () => void } | undefined;

  function end({ client, server }: Pair): void {
    client.destroy();
    server.destroy();
  }
  function accept(client: Socket): void {
    connections++;
    const server = connect(target(), "127.0.0.1");
    const pair: Pair = { client, server, dead: false };
    pairs.add(pair);
    client.on("data", (data) => pair.dead || server.write(data));
    server.on("data", (data) => {
      if (pair.dead) return;
      if (!cut || !data.includes(cut.text)) return void client.write(data);
      cut.done();
      cut = undefined;
      end(pair);
    });
    for (const socket of [client, server]) {
      socket.on("error", () => {});
      socket.on("close", () => pair.dead || end(pair));
    }
  }

  const listener = createServer(accept);
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    blackHole() {
      for (const pair of pairs) pair.dead = true;
    },
    cutBefore: (text) =>
      new Promise((done) => {
        cut = { text, done };
      }),
    get connections() {
      return connections;
    },
    async stop() {
      for (const pair of pairs) end(pair);
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
