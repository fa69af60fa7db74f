import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PNG } from "../../relay/src/files/samples.fixture.ts";
import { type Harness, startHarness } from "../harness.ts";
import { runTraced } from "../relays.ts";
import { upload } from "../uploads.ts";
import { type Call, parseCalls } from "./process/trace.ts";

describe("durable before acknowledged", () => {
  let folder: string;
  let harness: Harness;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "porchlight-trace-"));
    harness = await startHarness({ run: runTraced(join(folder, "trace")), sandbox: { botActive: false } });
  });
  afterEach(async () => {
    await harness.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Stops the relay, and returns its system calls once the tracer has written its last line. */
  async function calls(): Promise<Call[]> {
    await harness.halt();
    const read = (): string => readFileSync(join(folder, "trace"), "utf8");
    await expect.poll(read).toMatch(/\+\+\+ exited with 0 \+\+\+\n$/);
    return parseCalls(read());
  }

  /** A reply is durable in the spool too, where it goes when the database takes longer than a second. */
  const flushed = ({ name, on }: Call): boolean =>
    /^f(data)?sync$/.test(name) && /porchlight\.db|replies\.spool/.test(on);
  const says = (call: Call, words: string): boolean => !call.on.includes("porchlight.db") && call.data.includes(words);

  it("flushes new secrets and their name to the disk before anything else is stored", async () => {
    const flushes = (await calls()).filter(({ name }) => /^f(data)?sync$/.test(name)).map(({ on }) => on);
    const stored = flushes.findIndex((on) => on.endsWith("secrets.json.new"));
    expect(stored).toBeGreaterThan(-1);
    expect(flushes[stored + 1]).toBe(dirname(flushes[stored] ?? ""));
  });

  it("flushes a visitor's message to the disk before it acknowledges it, and before it calls the service", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    await visitor.send("the text to be kept", "durable-message-1");
    await visitor.sees((message) => message.from === "visitor" && message.state === "delivered");

    const all = await calls();
    const acknowledged = all.findIndex((call) => says(call, "durable-message-1"));
    const posted = all.findIndex((call) => says(call, "incoming_custom_channel_message"));
    const welcomed = all.findIndex((call) => says(call, "welcome"));
    expect(welcomed).toBeGreaterThan(-1);
    expect(all.slice(welcomed, acknowledged).some(flushed)).toBe(true);
    expect(all.slice(welcomed, posted).some(flushed)).toBe(true);
  });

  it("flushes an uploaded file, its name and its row to the disk before it answers 201", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    const { answer } = await upload(harness, visitor, PNG);
    expect(answer.type).toBe("image/png");

    const all = await calls();
    const folder = join("media", answer.key.slice(0, 2));
    const synced = (wanted: (on: string) => boolean) => all.findIndex(({ name, on }) => name === "fsync" && wanted(on));
    const welcomed = all.findIndex((call) => says(call, "welcome"));
    const bytes = synced((on) => on.includes(join("media", "incoming")));
    const name = synced((on) => on.endsWith(folder));
    const answered = all.findIndex((call) => says(call, `\\"key\\":\\"${answer.key}`));
    expect(all.slice(welcomed, bytes).some(flushed)).toBe(true);
    expect([welcomed, bytes, name, answered].every((at, i, order) => at > (order[i - 1] ?? -1))).toBe(true);
  });

  it("flushes a reply to the disk before it answers 200", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    await visitor.send("hello");
    await visitor.sees((message) => message.from === "visitor" && message.state === "delivered");
    const { fromId = "" } = harness.sandbox.messages()[0] ?? {};
    const reply = await harness.sandbox.humanReply({ fromId, body: "to be kept" });
    expect(reply.status).toBe("Sent");
    await visitor.receives("to be kept");

    const all = await calls();
    const delivered = all.findLastIndex((call) => says(call, '\\"state\\":\\"delivered\\"'));
    const answered = all.findLastIndex((call) => says(call, '{\\"success\\":true}'));
    expect(delivered).toBeGreaterThan(-1);
    expect(answered).toBeGreaterThan(delivered);
    expect(all.slice(delivered, answered).some(flushed)).toBe(true);
  });
});
