import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Files } from "../files/store.ts";
import type { LaneHead } from "../records/outbox.ts";
import { createAttachFile } from "./attach-file.ts";

const head = (fields: Partial<LaneHead>): LaneHead =>
  ({ text: "", key: "k", type: "image/png", name: "shot.png", reaction: null, ...fields }) as LaneHead;

describe("a file that is sent to the service", () => {
  /** A store whose files are read only when the test allows it. */
  function store() {
    const reads: (() => void)[] = [];
    const files: Files = {
      put: async () => {},
      get: (key) =>
        new Promise((resolve) =>
          reads.push(() => resolve(key === "gone" ? undefined : Readable.from([Buffer.from(`bytes of ${key}`)]))),
        ),
      remove: async () => {},
      close: async () => {},
    };
    return { reads, files };
  }

  it("is a link when the service can reach the relay, and is not read", async () => {
    const { reads, files } = store();
    const attachFile = createAttachFile({ files, link: (key, type) => `https://chat.example/${key}?${type}` });
    const sent = await attachFile(head({}), async (file) => file);
    expect(sent).toEqual({ mediaUrl: "https://chat.example/k?image/png", mediaContentType: "image/png" });
    expect(reads).toHaveLength(0);
  });

  it("is a data URI in standard, padded base64 otherwise", async () => {
    const { reads, files } = store();
    const sent = createAttachFile({ files, link: undefined })(head({}), async (file) => file);
    reads.shift()?.();
    const bytes = Buffer.from("bytes of k").toString("base64");
    expect(await sent).toEqual({ mediaUrl: `data:image/png;base64,${bytes}`, mediaContentType: "image/png" });
  });

  it("is reported as missing when its bytes are gone", async () => {
    const { reads, files } = store();
    const sent = createAttachFile({ files, link: undefined })(head({ key: "gone" }), async () => "sent");
    reads.shift()?.();
    expect(await sent).toBe("missing");
  });

  it("waits while four others are in memory, and is sent after them, even if one of them failed", async () => {
    const { reads, files } = store();
    const attachFile = createAttachFile({ files, link: undefined });
    const done: string[] = [];
    const all = ["1", "2", "3", "4", "5", "6"].map((key) =>
      attachFile(head({ key }), async () => {
        if (key === "1") throw new Error("the service hung up");
        done.push(key);
      }).catch(() => done.push("failed")),
    );
    expect(reads).toHaveLength(4);
    reads[0]?.();
    await expect.poll(() => reads.length).toBe(5);
    for (let i = 1; i < 6; i++) {
      await expect.poll(() => reads.length).toBeGreaterThan(i);
      reads[i]?.();
    }
    await Promise.all(all);
    expect(done[0]).toBe("failed");
    expect(done.slice(1).sort()).toEqual(["2", "3", "4", "5", "6"]);
  });

  it("is sent neither with a reaction to its message, nor with a text message", async () => {
    const { files } = store();
    const attachFile = createAttachFile({ files, link: undefined });
    expect(await attachFile(head({ reaction: "👍" }), async (file) => file)).toBeUndefined();
    expect(await attachFile(head({ key: null, type: null }), async (file) => file)).toBeUndefined();
  });
});
