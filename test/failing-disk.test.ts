import { afterEach, expect, it } from "vitest";
import { fileOf } from "../relay/src/db/database-url.ts";
import { openLogFlush } from "../relay/src/db/flush.ts";
import { openSqlite } from "../relay/src/db/sqlite.ts";
import { type Harness, startHarness } from "./harness.ts";
import { runWith } from "./relays.ts";

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.stop();
  harness = undefined;
});

it("a disk that fails to store a commit: the relay acknowledges and sends nothing more, keeps replies, and stops cleanly", async () => {
  const disk = { fails: false };
  const openFlush = (file: string) => {
    const flush = openLogFlush(file);
    // The system reports the failure only once; later flushes succeed.
    const fail = (): Promise<void> => {
      disk.fails = false;
      return Promise.reject(new Error("EIO: i/o error, fdatasync"));
    };
    return { run: () => (disk.fails ? fail() : flush.run()), close: flush.close };
  };
  const open = async (url: string) => openSqlite(fileOf(url), { openFlush });
  harness = await startHarness({ sandbox: { botActive: false }, run: (env) => runWith(env, { open }) });
  const { sandbox, url } = harness;
  const visitor = harness.visitor();
  await visitor.connect();
  await visitor.send("before");
  await visitor.sees((message) => message.from === "visitor" && message.state === "delivered");
  const { fromId = "" } = sandbox.messages()[0] ?? {};

  disk.fails = true;
  visitor.write({ t: "send", id: "while-it-fails", text: "lost" });
  await visitor.next((frame) => frame.t === "error");
  expect((await sandbox.humanReply({ fromId, body: "kept" })).status).toBe("Sent");
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect(sandbox.messages().map(({ body }) => body)).toEqual(["before"]);

  await harness.halt();
  await harness.start();
  expect((await fetch(`${harness.url}/readyz`)).status).toBe(200);
  await visitor.connect();
  await visitor.receives("kept");
});
