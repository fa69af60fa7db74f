import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jpeg, PNG } from "../relay/src/files/samples.fixture.ts";
import { type FakeBucket, startBucket } from "./bucket.ts";
import { type Harness, startHarness } from "./harness.ts";
import { upload } from "./uploads.ts";
import type { Visitor } from "./visitor.ts";

describe("files in a bucket", () => {
  let bucket: FakeBucket;
  let harness: Harness;
  let visitor: Visitor;
  beforeAll(async () => {
    bucket = await startBucket();
    harness = await startHarness({
      env: { MEDIA_STORE: bucket.url, S3_ACCESS_KEY_ID: bucket.keyId, S3_SECRET_ACCESS_KEY: bucket.secret },
    });
    visitor = harness.visitor();
    await visitor.connect();
  });
  afterAll(async () => {
    await harness.stop();
    await bucket.stop();
  });

  it("are stored there under a generated name with their type, and nowhere on the machine", async () => {
    const { answer } = await upload(harness, visitor, jpeg(30, 20), { name: "../../beach.jpg" });
    const path = `/chat-files/uploads/${answer.key}`;
    expect(bucket.objects.get(path)).toEqual({ type: "image/jpeg", bytes: jpeg(30, 20) });
    expect(readdirSync(join(harness.dataDir, "media", "incoming"))).toEqual([]);
    expect(existsSync(join(harness.dataDir, "media", answer.key.slice(0, 2)))).toBe(false);
    expect(bucket.forged).toEqual([]);
  });

  it("reach the service and the thread like other files", async () => {
    const { answer } = await upload(harness, visitor, PNG, { name: "shot.png" });
    await visitor.send("from the bucket", undefined, { media: answer.key });
    await visitor.receives("echo: from the bucket");
    expect(harness.sandbox.messages()).toMatchObject([{ media: { type: "image/png", bytes: PNG } }]);
    const whole = await fetch(`${harness.url}${answer.url}`);
    expect(Buffer.from(await whole.bytes())).toEqual(PNG);
    expect(whole.headers.get("content-security-policy")).toMatch(/^sandbox/);
    const part = await fetch(`${harness.url}${answer.url}`, { headers: { Range: "bytes=1-3" } });
    expect([part.status, await part.text()]).toEqual([206, "PNG"]);
  });

  it("are not sent by a store that ignores ranges, whose bytes would follow the announced length", async () => {
    const { answer } = await upload(harness, visitor, PNG);
    const range = (Range: string) => fetch(`${harness.url}${answer.url}`, { headers: { Range } });
    bucket.ignoringRanges(true);
    expect((await range("bytes=1-3")).status).toBe(503);
    expect((await range("bytes=0-")).status).toBe(206);
    bucket.ignoringRanges(false);
    expect(await (await range("bytes=1-3")).text()).toBe("PNG");
  });

  it("are retried while the store is down: uploads by the visitor, deliveries by the relay", async () => {
    const { answer } = await upload(harness, visitor, PNG);
    bucket.failing(true);
    const refused = await upload(harness, visitor, PNG);
    expect((await fetch(`${harness.url}${answer.url}`)).status).toBe(503);
    expect(refused).toMatchObject({ status: 503, answer: { code: "try_later", retryAfter: expect.any(Number) } });
    await visitor.send("while the store is away", undefined, { media: answer.key });
    await expect.poll(() => harness.lines().some((line) => line.includes("delivery.retry"))).toBe(true);
    bucket.failing(false);
    await visitor.receives("echo: while the store is away");
    expect(harness.sandbox.messages().filter(({ body }) => body === "while the store is away")).toHaveLength(1);
  });

  it("that could not be stored count against no quota", async () => {
    const small = await startHarness({
      env: {
        MEDIA_STORE: bucket.url,
        S3_ACCESS_KEY_ID: bucket.keyId,
        S3_SECRET_ACCESS_KEY: bucket.secret,
        UPLOAD_VISITOR_MB: "1",
      },
    });
    const other = small.visitor();
    await other.connect();
    const large = Buffer.concat([PNG, Buffer.alloc(600 * 1024)]);
    bucket.failing(true);
    expect((await upload(small, other, large)).status).toBe(503);
    bucket.failing(false);
    expect((await upload(small, other, large)).status).toBe(201);
    await small.stop();
  });

  it("are deleted with the chat", async () => {
    const leaving = harness.visitor();
    await leaving.connect();
    const { answer } = await upload(harness, leaving, PNG);
    leaving.write({ t: "forget" });
    await leaving.ended();
    await expect.poll(() => bucket.objects.has(`/chat-files/uploads/${answer.key}`)).toBe(false);
  });

  it("never expose the store's key in a log line, also after the store has failed", async () => {
    const log = harness.lines().join("\n");
    expect(log).toContain('"upload.unreadable"');
    expect(log).not.toContain(bucket.secret);
    expect(log).not.toContain(encodeURIComponent(bucket.secret));
  });
});

it("a bucket without its key, or over plain http, is refused at the start with a message", async () => {
  await expect(startHarness({ env: { MEDIA_STORE: "s3://files" } })).rejects.toThrow("S3_ACCESS_KEY_ID");
  const plain = "s3://files?endpoint=http://store.example";
  await expect(startHarness({ env: { MEDIA_STORE: plain } })).rejects.toThrow("https");
  await expect(startHarness({ env: { MEDIA_STORE: "https://files.example" } })).rejects.toThrow("s3://bucket");
});
