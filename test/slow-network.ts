/** A slow network: it delays all data, and every new connection costs extra round trips for its handshakes. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type SlowNetwork = {
  url: string;
  /** Round-trip time in milliseconds; initially 0. */
  rtt: number;
  stop: () => Promise<void>;
};

/** Round trips before the first byte of a request: one for TCP, one for TLS 1.3. */
const HANDSHAKES = 2;

/** @param port returns the relay's port; called for each connection */
export async function startSlowNetwork(port: () => number): Promise<SlowNetwork> {
  const sockets = new Set<Socket>();
  /** Delays actions on one end, and keeps their order. */
  function delay(to: Socket, ready: number): (act: () => void) => void {
    let last = Promise.resolve();
    return (act) => {
      const due = Math.max(performance.now(), ready) + slow.rtt / 2;
      last = last.then(async () => {
        await sleep(Math.max(0, due - performance.now()), undefined, { ref: false });
        if (!to.destroyed) act();
      });
    };
  }

  const server = createServer((near) => {
    const far = connect(port(), "127.0.0.1");
    const ready = performance.now() + slow.rtt * HANDSHAKES;
    for (const [from, to, begins] of [
      [near, far, ready],
      [far, near, 0],
    ] as const) {
      const delayed = delay(to, begins);
      sockets.add(from);
      from.on("error", () => from.destroy());
      from.on("data", (data) => delayed(() => to.write(data)));
      from.on("close", () => {
        sockets.delete(from);
        delayed(() => to.destroy());
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const slow: SlowNetwork = {
    rtt: 0,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return slow;
}
