import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { awaitRelay, findRelay, foreignRelay, placesFor } from "./locate.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "porchlight-"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A data folder that DATA_DIR, the installation or a unit file names. */
const named = (dataDir: string) => ({ dataDir, named: true });

/** Starts a relay's socket for commands, without a relay. @returns its path */
async function startSocket(): Promise<string> {
  const path = join(root, "relay.sock");
  const server = createServer((_, response) => void response.end("{}"));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return path;
}

/** Gives a file to another user; where only root may do that, this process pretends to be another user. */
function giveAway(path: string): void {
  const user = process.getuid?.() ?? 0;
  if (user === 0) return chownSync(path, 65_534, 65_534);
  const pretending = vi.spyOn(process, "getuid").mockReturnValue(user + 1);
  onTestFinished(() => pretending.mockRestore());
}

it("searches only DATA_DIR when it is set, else the default folder and those of the demo and the unit files", () => {
  expect(placesFor("somewhere")).toEqual([named(resolve("somewhere"))]);
  const [shipped, own] = [join(import.meta.dirname, "..", "..", "deploy", "porchlight.service"), join(root, "own")];
  writeFileSync(own, "[Service]\nEnvironment=DATA_DIR=/srv/chat\nStateDirectory=porchlight\n");
  const places = placesFor(undefined, [own, join(root, "none"), shipped]).map(({ dataDir }) => dataDir);
  expect([places[0], ...places.slice(-2)]).toEqual([resolve("data"), "/srv/chat", "/var/lib/porchlight"]);
  expect(places).toContain(join(import.meta.dirname, "..", "..", "..", "data", "demo"));
});

it("finds no relay where none answers, even if a stopped relay left its files", async () => {
  writeFileSync(join(root, "relay.json"), "{");
  expect(await findRelay([named(root), named(join(root, "none"))])).toBeUndefined();
  writeFileSync(join(root, "relay.json"), JSON.stringify({ pid: 1, control: join(root, "relay.sock") }));
  expect(await findRelay([named(root)])).toBeUndefined();
});

it("waits for a relay that restarts, but only where a relay has run before", async () => {
  let searches = 0;
  const never = async () => void searches++;
  expect(await awaitRelay([named(root)], never)).toBeUndefined();
  expect(searches).toBe(0);
  writeFileSync(join(root, "secrets.json"), "{}");
  expect(await awaitRelay([named(join(root, "none")), named(root)], never)).toBeUndefined();
  expect(searches).toBe(30);
  let socket = "";
  const starts = async () => {
    if (socket !== "") return;
    socket = await startSocket();
    writeFileSync(join(root, "relay.json"), JSON.stringify({ pid: 1, control: socket }));
  };
  expect(await awaitRelay([named(root)], starts)).toMatchObject({ dataDir: root, socket });
});

it("does not use a relay that another user has described in the current folder, unless DATA_DIR names it", async () => {
  const description = join(root, "relay.json");
  writeFileSync(description, JSON.stringify({ pid: 1, control: await startSocket() }));
  const found = { dataDir: root, named: false };
  expect(await findRelay([found])).toMatchObject({ dataDir: root });
  expect(foreignRelay([found])).toBeUndefined();
  giveAway(description);
  expect(await findRelay([found])).toBeUndefined();
  expect(foreignRelay([found])).toMatchObject({ dataDir: root });
  expect(await findRelay([named(root)])).toMatchObject({ dataDir: root });
  expect(foreignRelay([named(root)])).toBeUndefined();
});
