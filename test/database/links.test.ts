import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, expect, inject, it } from "vitest";
import type { NodeLink } from "../../relay/src/bus/cluster.ts";
import { openPostgresLink, openRedisLink } from "../../relay/src/bus/links.ts";
import { checkHints } from "../../relay/src/cli/doctor.ts";
import { startRedis } from "../setup/redis.ts";

const QUICK = { answerMs: 500, testMs: 100 };
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A proxy to a server. `freeze`: its present connections pass nothing on, but stay open. */
async function proxyTo(server: string) {
  const { port } = new URL(server);
  const frozen = new Set<Socket>();
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), "127.0.0.1");
    open.add(client);
    const pairs = [[client, upstream] as const, [upstream, client] as const];
    for (const [one, other] of pairs) {
      one.on("data", (data: Buffer) => frozen.has(client) || other.write(data));
      one.on("error", () => {}).on("close", () => other.destroy());
    }
    client.on("close", () => open.delete(client));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  cleanups.push(() => proxy.close());
  const url = new URL(server);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const freeze = (): Socket[] => {
    for (const socket of open) frozen.add(socket);
    return [...open];
  };
  return { url: url.href, freeze, isOpen: (socket: Socket) => open.has(socket) };
}

async function redis(): Promise<string> {
  const server = await startRedis();
  cleanups.push(server.stop);
  return server.url;
}

it.each([
  ["PostgreSQL", async () => inject("postgres") ?? "", openPostgresLink],
  ["Redis", redis, openRedisLink],
])("notices a frozen connection to %s, and opens another one", async (_, server, openLink) => {
  const { url, freeze, isOpen } = await proxyTo(await server());
  const states: string[] = [];
  const link: NodeLink = await openLink(url, { onState: (state) => void states.push(state), ...QUICK });
  cleanups.push(link.close);
  const received: string[] = [];
  link.onText((text) => void received.push(text));
  // On a slow machine, the link may lose a connection that is not frozen, and drop what is sent meanwhile.
  const sent = (text: string) =>
    expect.poll(() => {
      link.send(text);
      return received;
    });
  await sent("before").toContain("before");
  const before = freeze();
  await expect.poll(() => before.filter(isOpen)).toEqual([]);
  await sent("after").toContain("after");
  expect(states).toContain("lost");
});

/** Sends a command to Redis, and waits for its answer. */
async function command(url: string, text: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(`${text}\r\n`);
  expect(String((await once(socket, "data"))[0])).toBe("+OK\r\n");
  socket.destroy();
}

it.each([
  ["to receive", "+@all -subscribe &*", "+subscribe"],
  ["to send", "+@all -publish &*", "+publish"],
  ["its channel, as Redis 7 does to a new user", "+@all resetchannels", "&porchlight"],
])("reports that Redis refuses the relay %s, and that it works again when it is allowed", async (_, rules, allowed) => {
  const server = await redis();
  await command(server, `ACL SETUSER relay on >secret ~* ${rules}`);
  const url = server.replace("//", "//relay:secret@");
  const states: string[] = [];
  const link = await openRedisLink(url, { onState: (state, cause) => void states.push(`${state} ${cause ?? ""}`) });
  cleanups.push(link.close);
  const received: string[] = [];
  link.onText((text) => void received.push(text));
  link.send("refused");
  await expect.poll(() => states.at(-1)).toMatch(/^lost .*NOPERM/);
  const about = { db: { dialect: "postgres" }, settings: { redisUrl: url } } as never;
  expect(await checkHints(about)).toMatchObject([{ ok: false, found: expect.stringContaining("NOPERM") }]);
  await command(server, `ACL SETUSER relay ${allowed}`);
  await expect
    .poll(() => {
      link.send("allowed");
      return received;
    })
    .toContain("allowed");
  await expect.poll(() => states.at(-1)).toBe("open ");
  expect(await checkHints(about)).toMatchObject([{ ok: true }]);
});

it("drops a text in Redis that is longer than any hint, and says so (A33)", async () => {
  const url = await redis();
  const sizes: number[] = [];
  const receiver = await openRedisLink(url, {
    onState: () => {},
    onTooLong: (bytes) => void sizes.push(bytes),
    ...QUICK,
  });
  const sender = await openRedisLink(url, { onState: () => {}, ...QUICK });
  cleanups.push(receiver.close, sender.close);
  const received: string[] = [];
  receiver.onText((text) => void received.push(text));
  for (const text of ["x".repeat(1_000_000), "x".repeat(8_000), "ї".repeat(4_000), "short"]) sender.send(text);
  await expect.poll(() => received).toEqual(["short"]);
  expect(sizes).toEqual([1_000_000, 8_000, 8_000]);
});

it("does not send a text to PostgreSQL that it would refuse, and with it all others (A27)", async () => {
  const states: string[] = [];
  const link = await openPostgresLink(inject("postgres") ?? "", { onState: (state) => void states.push(state) });
  cleanups.push(link.close);
  const received: string[] = [];
  link.onText((text) => void received.push(text));
  for (const text of ["before", "ї".repeat(4_000), "after"]) link.send(text);
  await expect.poll(() => received).toEqual(["before", "after"]);
  expect(states).toEqual(["open"]);
});
