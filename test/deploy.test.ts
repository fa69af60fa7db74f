/**
 * Tests the unit files of relay/deploy like systemd: the socket is opened once and passed to every process of the relay as file
 * descriptor 3, and the relay is started by the command in the file.
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSettings } from "../relay/src/base/config.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { type Harness, startHarness } from "./harness.ts";
import type { Env, Run, Running } from "./relays.ts";
import type { Visitor } from "./visitor.ts";

const ROOT = join(import.meta.dirname, "..");
/** Path of the repository in the unit files. */
const INSTALLED = "/opt/porchlight";

type Connection = "keep-alive" | "close";

/** Values of a unit file by key; a key that occurs twice has both. */
function unit(name: string): Record<string, string[]> {
  const lines = readFileSync(join(ROOT, "relay", "deploy", name), "utf8").split("\n");
  const pairs = lines.flatMap((line) => {
    const [, key = "", value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return key === "" ? [] : [{ key, value: value.replaceAll(INSTALLED, ROOT) }];
  });
  const keys = Object.entries(Object.groupBy(pairs, ({ key }) => key));
  return Object.fromEntries(keys.map(([key, all = []]) => [key, all.map(({ value }) => value)]));
}
const service = unit("porchlight.service");
const socket = unit("porchlight.socket");

/** Holds the socket as file descriptor 3, and runs the command once for each input line. */
const HOLDER = `
while read -r _; do
  sh -c 'LISTEN_PID=$$ exec "$@"' systemd "$@" < /dev/null & echo "pid $!"
  wait $!; echo "exit $?"
done`;

/** Runs the relay by the service's command on a socket that outlives it. */
async function activation(): Promise<{ run: Run; close: () => Promise<unknown> }> {
  const server = createServer();
  const host = socket.ListenStream?.[0]?.replace(/:\d+$/, "") ?? "";
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, host, backlog: Number(socket.Backlog?.[0]) }, () => resolve()),
  );
  const { port } = server.address() as AddressInfo;
  let holder: ReturnType<typeof hold> | undefined;

  function hold(env: Env) {
    // Node has no public access to the descriptor of a listening socket.
    const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
    const command = service.ExecStart?.[0]?.split(" ") ?? [];
    const child = spawn("sh", ["-c", HOLDER, "holder", ...command], {
      cwd: service.WorkingDirectory?.[0] ?? "",
      env: { ...COMPILE_CACHE, ...env, LOG_LEVEL: "info", LISTEN_FDS: "1" },
      stdio: ["pipe", "pipe", "pipe", fd] as const,
    });
    // This process no longer accepts connections from the socket.
    server.close();
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream as Readable).on("line", (line) => lines.push(line));
    return { child, lines, ended: once(child, "close") };
  }

  const run = async (env: Env): Promise<Running> => {
    holder ??= hold(env);
    const { child, lines } = holder;
    const from = lines.length;
    const output = (): string[] => lines.slice(from);
    const numberIn = (pattern: RegExp): number =>
      Number(output().flatMap((line) => pattern.exec(line)?.[1] ?? [])[0] ?? -1);
    child.stdin?.write("go\n");
    await expect.poll(() => output().join("\n")).toMatch(/"relay.started"|^exit/m);
    const end = (signal: NodeJS.Signals, code: number) => async (): Promise<void> => {
      process.kill(numberIn(/^pid (\d+)$/), signal);
      await expect.poll(() => numberIn(/^exit (\d+)$/)).toBe(code);
    };
    return {
      lines: [],
      port,
      pid: numberIn(/^pid (\d+)$/),
      stop: end((service.KillSignal?.[0] ?? "") as NodeJS.Signals, 0),
      kill: end("SIGKILL", 137),
    };
  };
  const close = (): Promise<unknown> => {
    holder?.child.stdin?.end();
    return holder?.ended ?? Promise.resolve();
  };
  return { run, close };
}

describe("the unit files", () => {
  it("run an existing command, wait long enough for a stop, and always restart", () => {
    const [program = "", script = "", ...more] = service.ExecStart?.[0]?.split(" ") ?? [];
    expect(() => accessSync(program, constants.X_OK)).not.toThrow();
    const cli = join(service.WorkingDirectory?.[0] ?? "", script);
    expect(execFileSync(process.execPath, [cli, "help", "serve"], { encoding: "utf8" })).toContain("starts the relay");
    expect(more).toEqual(["serve"]);
    expect(service.Requires).toEqual(["porchlight.socket"]);
    expect([service.StartLimitIntervalSec, service.Restart]).toEqual([["0"], ["always"]]);
    expect(Number.parseInt(service.TimeoutStopSec?.[0] ?? "", 10)).toBeGreaterThan(30);
  });

  it("use only settings of the relay", () => {
    const env = Object.fromEntries((service.Environment ?? []).map((pair) => pair.split("=")));
    const read = readSettings({ ...env, SERVICE_URL: "https://service.example/v1" });
    expect(read).toMatchObject({ settings: { dataDir: `/var/lib/${service.StateDirectory?.[0]}` } });
  });
});

describe("a relay whose socket outlives it", () => {
  let harness: Harness;
  let visitor: Visitor;
  let toId: string;
  let close: () => Promise<unknown>;
  /** Every callback that was sent, with its status; undefined: not answered. */
  let posted: { body: string; status: number | undefined }[];
  let posting: boolean;

  beforeEach(async () => {
    posted = [];
    posting = true;
    const { run, close: end } = await activation();
    close = end;
    harness = await startHarness({ run });
    visitor = harness.visitor();
    await visitor.greet();
    toId = harness.sandbox.messages()[0]?.fromId ?? "";
  });
  afterEach(async () => {
    await harness.stop();
    await close();
  });

  /**
   * Sends the next callback as soon as the one before was answered.
   * @param connection `close`: each callback uses a new connection
   */
  async function stream(name: string, connection: Connection): Promise<void> {
    for (let n = 0; posting; n++) {
      const entry = { body: `${name} ${n}`, status: undefined as number | undefined };
      posted.push(entry);
      const body = JSON.stringify({ toId, messageId: entry.body, body: entry.body, contactId: "c", userId: "u" });
      const headers = { "Content-Type": "application/json", Connection: connection };
      entry.status = await fetch(harness.callbackUrl, { method: "POST", headers, body }).then(
        ({ status }) => status,
        () => undefined,
      );
    }
  }

  /** Restarts the relay while four streams send callbacks, and then ends the streams. */
  async function restartDuringCallbacks(
    restarts: number,
    end: () => Promise<void>,
    connection: Connection = "keep-alive",
  ): Promise<void> {
    const streams = ["a", "b", "c", "d"].map((name) => stream(name, connection));
    for (let restart = 0; restart < restarts; restart++) {
      const before = posted.length;
      await expect.poll(() => posted.length).toBeGreaterThan(before + 20);
      await end();
      await harness.start();
    }
    posting = false;
    await Promise.all(streams);
  }

  /** Checks that every callback with a 200 is in the thread once, each stream in its order. */
  async function expectShown(): Promise<void> {
    const taken = posted.filter(({ status }) => status === 200).map(({ body }) => body);
    await visitor.drop();
    await visitor.connect();
    // The streams overtake each other, so the last callback of the list need not be the last one of the thread.
    for (const text of taken) await visitor.receives(text);
    const shown = visitor.log().map(({ text }) => text);
    for (const name of ["a", "b", "c", "d"]) {
      const own = (text: string) => text.startsWith(`${name} `);
      const extra = posted.filter(({ status }) => status === undefined).map(({ body }) => body);
      expect(shown.filter((text) => own(text) && !extra.includes(text))).toEqual(taken.filter(own));
    }
    expect(new Set(shown).size).toBe(shown.length);
  }

  it("refuses no callback while it is restarted three times, and loses none", async () => {
    await restartDuringCallbacks(3, harness.halt);
    expect(posted.filter(({ status }) => status !== 200)).toEqual([]);
    await expectShown();
  });

  it("leaves only those callbacks unanswered that were under way when it was killed", async () => {
    // When the reset comes late, the next callback over a kept connection of the killed relay would fail too.
    await restartDuringCallbacks(2, harness.kill, "close");
    const unanswered = posted.filter(({ status }) => status !== 200);
    expect(unanswered.filter(({ status }) => status !== undefined)).toEqual([]);
    expect(unanswered.length).toBeLessThanOrEqual(2 * 4);
    await expectShown();
  });
});
