/** The WebSocket transport: each text frame is one frame of the protocol. */

import { LOST } from "@porchlight/shared/close";
import type { OpenTransport } from "./connection.ts";

/**
 * Creates the function that opens WebSockets to a relay.
 * @param relay origin of the relay, `https://…` or `http://…`
 * @param Socket the WebSocket class
 */
export function openSocket(relay: string, Socket: typeof WebSocket = WebSocket): OpenTransport {
  return (events) => {
    let socket: WebSocket;
    try {
      socket = new Socket(`${relay.replace(/^http/, "ws")}/socket`);
    } catch {
      // Some browsers throw when the page's policy forbids the address.
      queueMicrotask(() => events.close(LOST));
      return { send() {}, close() {} };
    }
    socket.onopen = () => events.open();
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") events.frame(data);
    };
    socket.onclose = ({ code }) => events.close(code);
    return {
      send: (text) => {
        if (socket.readyState === Socket.OPEN) socket.send(text);
      },
      close() {
        // A dead socket may report its close minutes later, or never (WIDGET 3.2): ignore it.
        socket.onopen = socket.onmessage = socket.onclose = null;
        socket.close(1000);
      },
    };
  };
}
