import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hasOneHost, withOneHost } from "./host-header.ts";
import { createHttpServer } from "./server.ts";

const server = createHttpServer(
  withOneHost((_, response) => void response.end("ok")),
  { isUpgrade: hasOneHost },
);
server.on("upgrade", (_, socket) => socket.end("upgraded"));

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => void server.close().closeAllConnections());

/** The beginning of the answer to a request with these header lines. */
async function answerTo(...lines: string[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(`GET / HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  const [data] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return data.toString().slice(0, 12);
}

it("answers a request with one host, however it is spelt", async () => {
  for (const host of ["a", "chat.example.com:8787", "[2001:db8::1]:80", "%61", "xn--bcher-kva.example", ""])
    expect(await answerTo(`Host: ${host}`), host).toBe("HTTP/1.1 200");
});

it("refuses a request with two Host headers, or with one that no host can have (A34)", async () => {
  for (const lines of [
    ["Host: a", "Host: b"],
    ["Host: a", "Host: a"],
    ["host: a", "X-Other: 1", "HOST: b"],
    ["Host: a, b"],
    ["Host: a/b"],
    ["Host: a@b"],
    ["Host: a\\b"],
    ["Host: a?b"],
    ["Host: a#b"],
  ])
    expect(await answerTo(...lines), lines.join()).toBe("HTTP/1.1 400");
});

it("does not upgrade a request with two Host headers (A34)", async () => {
  const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Host: a"];
  expect(await answerTo(...upgrade)).toBe("upgraded");
  expect(await answerTo(...upgrade, "Host: b")).toBe("HTTP/1.1 400");
});
