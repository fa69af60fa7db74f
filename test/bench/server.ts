import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { COMPILE_CACHE } from "../compile-cache.ts";
import { UNLIMITED } from "../unlimited.ts";
import type { SelfTime } from "./profile.ts";
import type { Ask, Usage } from "./servers/probe.ts";

export const ORIGIN = "https://shop.example";
export const ACCOUNT = "bench";
const SECRET = "a-callback-secret-for-benchmarks";
const CLI = join(import.meta.dirname, "..", "..", "relay", "src", "cli.ts");
const PROBE = join(import.meta.dirname, "servers", "probe.ts");
/** Longest time for a server to start listening, in ms. */
const START_MS = 60_000;

export type ServerKind = "bare" | "naive" | "relay";

/** A server in a process of its own. */
export type Server = {
  kind: ServerKind;
  port: number;
  /** Path to which the service posts replies. */
  callbacks: string;
  usage: () => Promise<Usage>;
  /** Usage after a garbage collection. */
  settled: () => Promise<Usage>;
  startProfile: () => Promise<void>;
  endProfile: () => Promise<SelfTime[]>;
  stop: () => Promise<void>;
};

const CALLBACKS: Record<ServerKind, string> = {
  bare: "/",
  naive: "/callbacks/reply",
  relay: `/callbacks/reply/${SECRET}`,
};

/** Environment of the relay as an operator would set it, without limits that many visitors on one machine would reach. */
export function relayEnv(service: string, folder: string): Record<string, string> {
  const config = join(folder, "config.json");
  // A high rate, so that the pacer does not limit the measurement.
  const account = { url: `${service}/v1`, key: "env:KEY", rate: 100_000 };
  const site = { account: ACCOUNT, origins: [ORIGIN] };
  writeFileSync(config, JSON.stringify({ accounts: { [ACCOUNT]: account }, sites: { default: site } }));
  return {
    PORT: "0",
    HOST: "127.0.0.1",
    KEY: "key",
    PORCHLIGHT_CONFIG: config,
    DATA_DIR: folder,
    CALLBACK_SECRET: SECRET,
    MESSAGES_PER_MINUTE: "0",
    ...UNLIMITED,
    SOCKETS_PER_ADDRESS: "0",
  };
}

/** The port of a started process: the relay writes it to its log, the others send it to their parent. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const output: string[] = [];
    const timer = setTimeout(() => reject(new Error(`A server did not start: ${output.join("\n")}`)), START_MS);
    const found = (port: number): void => {
      clearTimeout(timer);
      resolve(port);
    };
    child.on("message", (message: { port?: number }) => message.port !== undefined && found(message.port));
    child.once("exit", (code) => reject(new Error(`A server ended with ${code}: ${output.join("\n")}`)));
    if (child.stdout === null) return;
    const lines = createInterface(child.stdout).on("line", (line) => {
      output.push(line);
      const started = /"event":"relay.started".*"port":(\d+)/.exec(line);
      if (started === null) return;
      found(Number(started[1]));
      // Later lines are read as bytes and discarded: splitting two lines per round trip would cost the driver more than a
      // frame.
      lines.close();
      child.stdout?.removeAllListeners("data").resume();
    });
  });
}

/**
 * Starts a server.
 * @param service address to which it posts visitors' messages
 * @param given.env more settings of the relay
 * @param given.folder data folder of the relay, kept at the end; default: a new one, removed at the end
 */
export async function startServer(
  kind: ServerKind,
  service: string,
  given: { folder?: string; env?: Record<string, string> } = {},
): Promise<Server> {
  const folder = given.folder ?? mkdtempSync(join(tmpdir(), "porchlight-bench-"));
  const relay = kind === "relay";
  const program = relay ? [CLI, "serve"] : [join(import.meta.dirname, "servers", `${kind}.ts`), service];
  const child = spawn(process.execPath, ["--expose-gc", "--import", PROBE, ...program], {
    env: { ...COMPILE_CACHE, ...(relay ? relayEnv(service, folder) : {}), ...given.env },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const port = await portOf(child);

  async function ask(what: Ask): Promise<unknown> {
    child.send(what);
    const [{ answer }] = (await once(child, "message")) as [{ answer: unknown }];
    return answer;
  }

  return {
    kind,
    port,
    callbacks: CALLBACKS[kind],
    usage: async () => (await ask("usage")) as Usage,
    settled: async () => (await ask("settle")) as Usage,
    startProfile: async () => void (await ask("startProfile")),
    endProfile: async () => (await ask("endProfile")) as SelfTime[],
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      if (given.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
