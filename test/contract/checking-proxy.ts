/**
 * A proxy in front of the service that checks the relay's calls. It forwards every byte unchanged, including cuts and resets,
 * and checks every request against the interface (`interface.ts`). It collects the violations. When there are any, the harness's
 * `stop` rejects.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createListener, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { violationsOf } from "./interface.ts";

export type CheckingProxy = {
  /** Base address for the relay. */
  url: string;
  /** `POST /v1/contacts: the body has neither phone nor email`, one line each. */
  violations: string[];
  /** Number of checked requests. */
  checked: () => number;
  stop: () => Promise<void>;
};

/**
 * Checks that a sid is used again only for the same message (8.3).
 * @returns a function that returns the violations of a request's body
 */
function createSidCheck() {
  const known = new Map<string, string>();
  return (body: Buffer): string[] => {
    try {
      const { customData, messageType } = JSON.parse(body.toString()) as {
        customData: Record<string, unknown>;
        messageType?: string;
      };
      const { messageSid, fromId, toId, body: text } = customData;
      const message = JSON.stringify([fromId, toId, text, messageType ?? "text"]);
      const before = known.get(String(messageSid));
      known.set(String(messageSid), before ?? message);
      return before === undefined || before === message ? [] : ["a messageSid was used again for another message"];
    } catch {
      return [];
    }
  };
}

/** A server that parses requests from copies of the bytes. Nobody gets its answers. */
function startChecker(violations: string[]) {
  const sidViolations = createSidCheck();
  let checked = 0;
  const checker = createServer(
    { requestTimeout: 0, headersTimeout: 0 },
    (request: IncomingMessage, response: ServerResponse) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("error", () => {});
      request.on("end", () => {
        checked++;
        const { method = "", url: target = "", headers } = request;
        const body = Buffer.concat(parts);
        const wrong = violationsOf({ method, target, headers, body });
        if (/\/incoming_custom_channel_message\?/.test(target)) wrong.push(...sidViolations(body));
        const path = target.split("?")[0];
        violations.push(...wrong.map((line) => `${method} ${path}: ${line}`));
        response.end();
      });
    },
  );
  checker.on("clientError", (error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith("HPE_") && error.code !== "HPE_INVALID_EOF_STATE")
      violations.push(`not HTTP: ${error.code}`);
  });

  /** Opens a stream for the copied bytes of one connection. */
  function listen(): Duplex {
    const copy = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    copy.on("error", () => {});
    checker.emit("connection", copy);
    return copy;
  }
  return { listen, checked: () => checked, close: () => checker.closeAllConnections() };
}

/** Forwards one connection, and copies what the client writes. */
function forward(client: Socket, service: Socket, copy: Duplex): void {
  client.setNoDelay(true);
  service.setNoDelay(true);
  client.on("data", (chunk) => copy.push(chunk));
  client.on("close", () => copy.push(null));
  client.pipe(service);
  service.pipe(client);
  for (const [one, other] of [
    [client, service],
    [service, client],
  ] as const) {
    one.on("error", () => other.resetAndDestroy());
    one.on("close", (failed) => failed || other.destroySoon());
  }
}

/** @param service the base address of the service behind it */
export async function startCheckingProxy(service: string): Promise<CheckingProxy> {
  const { hostname, port, pathname } = new URL(service);
  const violations: string[] = [];
  const checker = startChecker(violations);
  const open = new Set<Socket>();
  const server = createListener((client) => {
    const onward = connect(Number(port), hostname);
    for (const socket of [client, onward]) {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    }
    forward(client, onward, checker.listen());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    violations,
    checked: checker.checked,
    async stop() {
      checker.close();
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
