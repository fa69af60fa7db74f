import { WebSocket } from "ws";
import type { Open } from "../tab.ts";

/** Origin of the host page that the simulated visitors use. */
export const ORIGIN = "https://shop.example";

/**
 * Returns a function that opens a WebSocket to a relay. Frames that are sent before it is open wait.
 * @param origin returns the relay's origin, like `http://127.0.0.1:8787`; it is called for each connection
 */
export const socketTo =
  (origin: () => string): Open =>
  ({ frame, end }) => {
    const socket = new WebSocket(`${origin().replace("http", "ws")}/socket`, { headers: { Origin: ORIGIN } });
    let waiting: string[] | undefined = [];
    socket.on("open", () => {
      for (const text of waiting ?? []) socket.send(text);
      waiting = undefined;
    });
    socket.on("message", (data) => frame(String(data)));
    socket.on("error", () => {});
    socket.on("close", end);
    return {
      put: (text) => (waiting === undefined ? socket.send(text) : waiting.push(text)),
      cut: () => socket.terminate(),
    };
  };
