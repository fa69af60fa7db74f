/** Files that people send to a visitor: inside the callback, as a link, or in a form that cannot be shown. */

import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PNG, png } from "../relay/src/files/samples.fixture.ts";
import { type Harness, startHarness } from "./harness.ts";
import type { Visitor } from "./visitor.ts";

const MISSING_FILE_TEXT = "[attachment – not available here]";
const dataUrl = (bytes: Buffer, type = "image/png") => `data:${type};base64,${bytes.toString("base64")}`;

let harness: Harness;
let visitor: Visitor;
let toId: string;
beforeAll(async () => {
  harness = await startHarness({ env: { UPLOAD_VISITOR_MB: "1" }, sandbox: { profile: "strict" } });
  visitor = harness.visitor();
  await visitor.greet();
  toId = harness.sandbox.messages()[0]?.fromId ?? "";
});
afterAll(() => harness.stop());

const post = (fields: object) =>
  fetch(harness.callbackUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ toId, messageId: randomUUID(), channel: "website", ...fields }),
  });
/** Posts a callback. @returns the message that it adds to the visitor's thread */
async function next(fields: object) {
  const before = visitor.log().length;
  expect((await post(fields)).status).toBe(200);
  await visitor.sees(({ from }) => from === "reply" && visitor.log().length > before);
  return visitor.log().at(-1);
}
const stored = () =>
  readdirSync(join(harness.dataDir, "media"), { recursive: true, withFileTypes: true }).filter((file) => file.isFile());

describe("a person's file", () => {
  it("inside the callback is stored once like an upload, shown, and deleted with the visitor", async () => {
    const other = harness.visitor();
    await other.connect();
    await other.send("a picture, please");
    await other.receives("echo: a picture, please");
    const { fromId } = harness.sandbox.messages().find(({ body }) => body === "a picture, please") ?? {};
    const callback = { toId: fromId, messageId: "m-file", body: "See", mediaUrl: dataUrl(png(3, 2)) };
    expect((await post(callback)).status).toBe(200);
    expect((await Promise.all([post(callback), post(callback)])).map(({ status }) => status)).toEqual([200, 200]);
    await other.sees(({ media }) => media !== undefined);
    const { text, media } = other.log().at(-1) ?? {};
    expect([text, media]).toEqual(["See", expect.objectContaining({ type: "image/png", width: 3, height: 2 })]);
    expect(other.log().filter((message) => message.from === "reply")).toHaveLength(2);
    const link = `${harness.url}${media?.url}`;
    expect(Buffer.from(await (await fetch(link)).arrayBuffer())).toEqual(png(3, 2));
    await expect.poll(() => stored().length).toBe(1);
    other.write({ t: "forget" });
    await other.ended();
    expect((await fetch(link)).status).toBe(404);
    await expect.poll(() => stored().length).toBe(0);
  });

  it("without text is a message with only the file", async () => {
    const message = await next({ body: "", fileUrl: dataUrl(PNG) });
    expect([message?.text, message?.media?.type]).toEqual(["", "image/png"]);
  });

  it.each([
    ["of a type that is not allowed", dataUrl(Buffer.from("<svg onload=alert(1)>"), "image/png")],
    ["that is damaged", "data:image/png;base64,*"],
    ["that is empty", "data:,"],
    ["by a link of another kind", "ftp://files.example/a.pdf"],
    ["by a script", "javascript:alert(1)"],
    ["by a name alone", "a.pdf"],
    ["by an object", { href: "a.pdf" }],
  ])("%s is mentioned, and nothing of it is stored", async (_, mediaUrl) => {
    const files = stored().length;
    expect(await next({ body: "See", mediaUrl })).toMatchObject({ text: `See\n${MISSING_FILE_TEXT}` });
    expect(visitor.log().at(-1)?.media).toBeUndefined();
    expect(stored()).toHaveLength(files);
  });

  it("by a link is shown as that link, even without TLS, in a list, and after the longest text", async () => {
    const link = "http://files.example/a.pdf";
    expect((await next({ body: "See", mediaUrl: link }))?.text).toBe(`See\n${link}`);
    expect((await next({ body: "", mediaUrl: [link, "https://files.example/b"] }))?.text).toBe(
      `${link}\nhttps://files.example/b`,
    );
    expect((await next({ body: "x".repeat(20_000), mediaUrl: link }))?.text).toMatch(
      /x\nhttp:\/\/files.example\/a.pdf$/,
    );
    expect((await next({ body: `See ${link}`, mediaUrl: link }))?.text).toBe(`See ${link}`);
  });

  it("that exceeds the quota is mentioned", async () => {
    const large = png(9, 9, 600_000);
    const texts = [];
    for (const _ of [1, 2]) texts.push((await next({ body: "See", mediaUrl: dataUrl(large) }))?.text);
    expect(texts).toEqual(["See", `See\n${MISSING_FILE_TEXT}`]);
  });
});
