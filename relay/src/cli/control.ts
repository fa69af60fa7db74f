import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Settings } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import type { Result } from "./command.ts";
import { CommandError, type ExitCode } from "./error.ts";

/**
 * The relay's socket for commands: a Unix socket in a folder that only the relay's user may enter. Commands run inside the
 * relay, with its settings and keys; the environment of the shell has no effect.
 *
 *   GET /settings   the settings, for commands that write files in the current folder
 *   POST /run       {argv}: runs a command → its result, or {error, code}
 */

type Answer = { result: Result } | { error: string; code: ExitCode };
type Handlers = {
  run: (argv: readonly string[]) => Promise<Result>;
  settings: () => Settings;
  log: Log;
};

/** Most bytes of a request. */
const REQUEST_MAX = 1024 * 1024;

async function textOf(stream: IncomingMessage, max: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > max) throw new Error("The request is too large");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

async function answerTo(request: IncomingMessage, { run, settings, log }: Handlers): Promise<Answer | Settings> {
  if (request.method === "GET" && request.url === "/settings") return settings();
  try {
    const { argv } = JSON.parse(await textOf(request, REQUEST_MAX)) as { argv: string[] };
    return { result: await run(argv) };
  } catch (error) {
    if (error instanceof CommandError) return { error: error.message, code: error.code };
    log("relay.internal", { where: "command", cause: String(error) });
    return { error: `The command failed in the relay: ${(error as Error).message}`, code: 1 };
  }
}

const serverOf = (handlers: Handlers): Server =>
  createServer((request: IncomingMessage, response: ServerResponse) => {
    void answerTo(request, handlers).then((answer) => {
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
    });
  });

const listening = (server: Server, path: string): Promise<string> =>
  new Promise((done, failed) => {
    server.once("error", failed);
    server.listen(path, () => done(path));
  });

/**
 * Folders for the socket, in order: the data folder; a temporary folder where the path is too long or the disk allows no
 * sockets.
 */
const PLACES: readonly ((dataDir: string) => string)[] = [
  (dataDir) => {
    const folder = join(resolve(dataDir), "run");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    return folder;
  },
  () => mkdtempSync(join(tmpdir(), "porchlight-run-")),
];

export type Control = {
  /** Path of the socket. */
  path: string;
  close: () => Promise<void>;
};

/** Opens the socket for commands; `undefined` when no folder allows it. */
export async function openControl(dataDir: string, handlers: Handlers): Promise<Control | undefined> {
  for (const place of PLACES) {
    try {
      const folder = place(dataDir);
      const path = join(folder, "relay.sock");
      // A killed relay may have left its socket. This relay holds the lock of the folder, so no other one uses it.
      rmSync(path, { force: true });
      const server = serverOf(handlers);
      await listening(server, path);
      chmodSync(path, 0o600);
      return { path, close: () => closed(server, folder) };
    } catch (error) {
      handlers.log("settings.warning", { warning: "no socket for commands", cause: String(error) });
    }
  }
  return undefined;
}

async function closed(server: Server, folder: string): Promise<void> {
  const ended = new Promise((done) => server.close(done));
  server.closeAllConnections();
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

/** Sends a request to a socket. @throws the system's error when no relay answers */
function ask(socketPath: string, method: "GET" | "POST", path: string, body = ""): Promise<string> {
  return new Promise((done, failed) => {
    const asked = request({ socketPath, method, path }, (response) => {
      textOf(response, Number.POSITIVE_INFINITY).then(done, failed);
    });
    asked.once("error", failed);
    asked.end(body);
  });
}

/** The settings of the relay behind a socket. @throws the system's error when no relay answers */
export const settingsOver = async (socketPath: string): Promise<Settings> =>
  JSON.parse(await ask(socketPath, "GET", "/settings")) as Settings;

/** Runs a command inside the relay behind a socket. @throws CommandError as the command does */
export async function runOver(socketPath: string, argv: readonly string[]): Promise<Result> {
  const answer = JSON.parse(await ask(socketPath, "POST", "/run", JSON.stringify({ argv }))) as Answer;
  if ("error" in answer) throw new CommandError(answer.error, answer.code);
  return answer.result;
}
