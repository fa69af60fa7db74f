import { afterEach, expect, it, vi } from "vitest";
import { transportsTo } from "./transports.ts";
import { createBrowser, createWorld } from "./world.fixture.ts";

afterEach(() => vi.unstubAllGlobals());

const events = { open() {}, frame() {}, close() {} };

/** Stubs the network: WebSockets that never open, and the relay's answers to plain HTTP. */
function network(healthz: () => Promise<Partial<Response>>): { sockets: string[]; fetched: unknown[][] } {
  const sockets: string[] = [];
  const fetched: unknown[][] = [];
  class Silent {
    constructor(address: string) {
      sockets.push(address);
    }
    close(): void {}
  }
  vi.stubGlobal("WebSocket", Silent);
  vi.stubGlobal("fetch", (address: string, options: RequestInit = {}) => {
    fetched.push([new URL(address).pathname, options]);
    return address.endsWith("/healthz") ? healthz() : new Promise(() => {});
  });
  return { sockets, fetched };
}

/** Opens two connections, each of which fails before it opens. */
async function failTwice(transports: ReturnType<typeof transportsTo>): Promise<void> {
  for (let times = 0; times < 2; times++) {
    transports.open(events).close();
    await transports.judge(false, false);
  }
}

it("opens a WebSocket first, and asks the relay's health without cookies and cache when it fails", async () => {
  const { sockets, fetched } = network(async () => ({ ok: true }));
  const { page } = createBrowser(createWorld()).tab();
  const transports = transportsTo("https://relay.example", page);
  transports.open(events).close();
  await transports.judge(false, false);
  expect(sockets).toEqual(["wss://relay.example/socket"]);
  expect(fetched).toEqual([["/healthz", { cache: "no-store", credentials: "omit" }]]);
});

it("uses the HTTP fallback after two failures while the relay answers plain HTTP", async () => {
  const { sockets, fetched } = network(async () => ({ ok: true }));
  const { page } = createBrowser(createWorld()).tab();
  const transports = transportsTo("https://relay.example", page);
  await failTwice(transports);
  const transport = transports.open(events);
  await expect.poll(() => fetched.map(([path]) => path)).toContain("/socket/lines");
  expect(sockets).toHaveLength(2);
  transport.close();
});

it.each([
  ["answers with an error", async () => ({ ok: false })],
  ["does not answer", () => Promise.reject(new TypeError("Failed to fetch"))],
])("keeps to WebSockets while the relay %s", async (_, healthz) => {
  const { sockets } = network(healthz);
  const { page } = createBrowser(createWorld()).tab();
  const transports = transportsTo("https://relay.example", page);
  await failTwice(transports);
  transports.open(events).close();
  expect(sockets).toHaveLength(3);
});
