import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { awaitRelay, findRelay, placesFor } from "./locate.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "porchlight-"));
});
afterEach(() => rmSync(root, { recursive: true }));

it("searches only DATA_DIR when it is set, else the default folder and those of the demo and the unit files", () => {
  expect(placesFor("somewhere")).toEqual([resolve("somewhere")]);
  const [shipped, own] = [join(import.meta.dirname, "..", "..", "deploy", "porchlight.service"), join(root, "own")];
  writeFileSync(own, "[Service]\nEnvironment=DATA_DIR=/srv/chat\nStateDirectory=porchlight\n");
  const places = placesFor(undefined, [own, join(root, "none"), shipped]);
  expect([places[0], ...places.slice(-2)]).toEqual([resolve("data"), "/srv/chat", "/var/lib/porchlight"]);
  expect(places).toContain(join(import.meta.dirname, "..", "..", "..", "data", "demo"));
});

it("finds no relay where none answers, even if a stopped relay left its files", async () => {
  writeFileSync(join(root, "relay.json"), "{");
  expect(await findRelay([root, join(root, "none")])).toBeUndefined();
  writeFileSync(join(root, "relay.json"), JSON.stringify({ pid: 1, control: join(root, "relay.sock") }));
  expect(await findRelay([root])).toBeUndefined();
});

it("waits for a relay that restarts, but only where a relay has run before", async () => {
  let searches = 0;
  const never = async () => void searches++;
  expect(await awaitRelay([root], never)).toBeUndefined();
  expect(searches).toBe(0);
  writeFileSync(join(root, "secrets.json"), "{}");
  expect(await awaitRelay([join(root, "none"), root], never)).toBeUndefined();
  expect(searches).toBe(30);
  const socket = join(root, "relay.sock");
  const server = createServer((_, response) => void response.end("{}"));
  const starts = async () => {
    if (server.listening) return;
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    writeFileSync(join(root, "relay.json"), JSON.stringify({ pid: 1, control: socket }));
  };
  expect(await awaitRelay([root], starts)).toMatchObject({ dataDir: root, socket });
  await new Promise((resolve) => server.close(resolve));
});
