import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jpeg, PNG, png, WITH_METADATA } from "../relay/src/files/samples.fixture.ts";
import { CLOSE } from "../shared/close.ts";
import { corpus } from "./corpora.ts";
import { type Harness, startHarness } from "./harness.ts";
import { upload } from "./uploads.ts";
import type { Visitor } from "./visitor.ts";

const MB = 1024 * 1024;

/** Paths of every file under a folder. */
const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** The files of a corpus; none if it is not available. */
const samples = (folder: string): [name: string, bytes: Buffer<ArrayBuffer>][] => {
  const path = corpus(folder);
  if (!existsSync(path)) return [];
  const names = readdirSync(path).filter((name) => name !== "LICENSE");
  return names.map((name) => [name, Buffer.from(readFileSync(join(path, name)))]);
};

const endless = (start: Uint8Array): ReadableStream =>
  new ReadableStream({
    start: (controller) => controller.enqueue(start),
    pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024)),
  });

/** The types of the samples of known kinds, by their extension; all others are refused. */
const ACCEPTED: Record<string, string> = {
  gif: "image/gif",
  jpg: "image/jpeg",
  m4a: "audio/mp4",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
};
/** Hostile files that are harmless as the type that their first bytes show, with their stored type and name. */
const HARMLESS = [
  "gif-html-tail.gif: image/gif gif-html-tail.gif",
  "mp4-ftyp-html.mp4: video/mp4 mp4-ftyp-html.mp4",
  "ok-1x1.gif: image/gif ok-1x1.gif",
  "ok-1x1.png: image/png ok-1x1.png",
  "pdf-html.pdf: application/pdf pdf-html.pdf",
  "png-html-tail.png: image/png png-html-tail.png",
  "png-svg-name.svg: image/png png-svg-name.svg.png",
  "png-text-chunk-html.png: image/png png-text-chunk-html.png",
  "png-truncated.png: image/png png-truncated.png",
];

describe("a file", () => {
  let harness: Harness;
  let visitor: Visitor;
  beforeAll(async () => {
    harness = await startHarness({ env: { UPLOADS_PER_MINUTE: "0", MESSAGES_PER_MINUTE: "0" } });
    visitor = harness.visitor();
    await visitor.connect();
  });
  afterAll(() => harness.stop());

  const get = (url: string, init?: RequestInit) => fetch(`${harness.url}${url}`, init);
  const received = (body: string) =>
    harness.sandbox.until((sandbox) => sandbox.messages().some((message) => message.body === body));
  const last = (body: string) => harness.sandbox.messages().find((message) => message.body === body);

  it("without a valid token is not read to its end: the connection is closed after a moment (A24)", async () => {
    const socket = connect(Number(new URL(harness.url).port), "127.0.0.1").on("error", () => {});
    const head = `POST /media HTTP/1.1\r\nHost: a\r\nOrigin: ${harness.host}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    socket.write(head);
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    let sent = 0;
    const more = (): void => {
      while (!socket.destroyed && sent < 60 * MB && socket.write(chunk)) sent += 65_536;
    };
    socket.on("drain", more);
    more();
    await expect.poll(() => socket.destroyed).toBe(true);
    // The relay reads 1 MB; the rest fits into the buffers of the two sockets.
    expect(sent).toBeLessThan(30 * MB);
  });

  it("reaches the service and the thread with its detected type (4.13-32; R-236, R-237)", async () => {
    const { status, answer } = await upload(harness, visitor, jpeg(640, 480), { name: "Ferien März.jpeg" });
    expect(status).toBe(201);
    expect(answer).toMatchObject({ type: "image/jpeg", name: "Ferien März.jpeg", width: 640, height: 480 });
    const written = await visitor.send("look", undefined, { media: answer.key });
    expect(written.media).toMatchObject({ type: "image/jpeg", size: answer.size, width: 640, height: 480 });
    expect(await (await get(written.media?.url ?? "")).bytes()).toEqual(new Uint8Array(jpeg(640, 480)));
    await received("look");
    // This relay is not reachable from outside, so the file is embedded in the message, without a link.
    expect(last("look")).toMatchObject({ media: { type: "image/jpeg", url: "", bytes: jpeg(640, 480) } });
  });

  it("reaches the page and the service without metadata about place and camera (C4)", async () => {
    for (const [type, bytes] of Object.entries(WITH_METADATA)) {
      const { answer } = await upload(harness, visitor, bytes, { name: "holiday" });
      expect(answer).toMatchObject({ type, width: 2, height: 1 });
      await visitor.send(`from ${type}`, undefined, { media: answer.key });
      const served = Buffer.from(await (await get(answer.url)).bytes());
      expect(served.length).toBe(answer.size);
      await received(`from ${type}`);
      expect(last(`from ${type}`)?.media?.bytes).toEqual(served);
      expect(served.includes("SECRET")).toBe(false);
    }
  });

  it("without text gets a text for the service, which the thread does not show (4.13-18; R-230)", async () => {
    const { answer } = await upload(harness, visitor, PNG, { name: "shot.png" });
    const written = await visitor.send(" ", undefined, { media: answer.key });
    expect(written).toMatchObject({ text: "", media: { name: "shot.png" } });
    await received("[image] shot.png");
    const document = await upload(harness, visitor, "%PDF-1.4\n%%EOF", { name: "offer.pdf" });
    await visitor.send("", undefined, { media: document.answer.key });
    await received("[file] offer.pdf");
    const later = harness.visitor({ token: visitor.token() ?? "" });
    await later.connect();
    expect((await later.sees(({ id }) => id === written.id)).media).toMatchObject({ name: "shot.png", width: 1 });
  });

  it("sent with others is its own message, in order, and the first one has the text (R-240)", async () => {
    const keys: string[] = [];
    for (const name of ["a.png", "b.png", "c.png"])
      keys.push((await upload(harness, visitor, PNG, { name })).answer.key);
    await Promise.all(keys.map((media, i) => visitor.send(i === 0 ? "three of them" : "", undefined, { media })));
    await received("[image] c.png");
    const three = harness.sandbox.messages().slice(-3);
    expect(three.map(({ body }) => body)).toEqual(["three of them", "[image] b.png", "[image] c.png"]);
    expect(three.every((message) => "media" in message)).toBe(true);
  });

  it("is served harmlessly: a fixed type, no scripts, no access to the relay's origin", async () => {
    const { answer } = await upload(harness, visitor, PNG, { name: "naïve “quotes”.png" });
    const { headers } = await get(answer.url);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": String(PNG.length),
      "x-content-type-options": "nosniff",
      "content-security-policy":
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'",
      "content-disposition": `inline; filename="na_ve _quotes_.png"; filename*=UTF-8''na%C3%AFve%20%E2%80%9Cquotes%E2%80%9D.png`,
      "cross-origin-resource-policy": "cross-origin",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "accept-ranges": "bytes",
    });
    const text = await upload(harness, visitor, "just words", { name: "notes.txt" });
    const served = await get(text.answer.url);
    expect(served.headers.get("content-disposition")).toMatch(/^attachment;/);
    expect(served.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  it("supports HEAD, ranges and ETags as HTTP requires", async () => {
    const { answer } = await upload(harness, visitor, PNG);
    const range = (value: string) => get(answer.url, { headers: { Range: value } });
    const head = await get(answer.url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, `${PNG.length}`, ""]);
    const part = await range("bytes=1-3");
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 1-3/${PNG.length}`]);
    expect(await part.text()).toBe("PNG");
    expect(await (await range("bytes=-4")).bytes()).toEqual(new Uint8Array(PNG.subarray(-4)));
    const beyond = await range("bytes=5000-");
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${PNG.length}`]);
    const etag = head.headers.get("etag") ?? "";
    expect((await get(answer.url, { headers: { "If-None-Match": etag } })).status).toBe(304);
  });

  it("is available only under its signed link", async () => {
    const { answer } = await upload(harness, visitor, PNG);
    const link = new URL(answer.url, harness.url);
    const exp = Number(link.searchParams.get("exp"));
    expect(exp - Date.now()).toBeGreaterThan(7 * 86_400_000);
    const sig = link.searchParams.get("sig") ?? "";
    const other = (await upload(harness, visitor, PNG)).answer.url;
    const wrong = [
      link.pathname,
      `${link.pathname}?exp=${exp}`,
      `${link.pathname}?exp=${exp + 1}&sig=${sig}`,
      `${link.pathname}?exp=${exp}&sig=${sig.slice(0, -1)}`,
      `${other.split("?")[0]}?exp=${exp}&sig=${sig}`,
      `/media/..%2f..%2fsecrets.json?exp=${exp}&sig=${sig}`,
      `/media/incoming?exp=${exp}&sig=${sig}`,
    ];
    for (const path of wrong) {
      const { status, headers } = await get(path);
      // A page may read that a file does not exist; only an image element may load an existing one.
      expect([status, headers.get("access-control-allow-origin")]).toEqual([404, "*"]);
    }
    expect((await get(answer.url)).headers.get("access-control-allow-origin")).toBeNull();
  });

  it("needs a session, and a page that may use the chat", async () => {
    const outcome = async (request: object) => {
      const { status, answer } = await upload(harness, visitor, PNG, request);
      return [status, answer.code];
    };
    expect(await outcome({ token: null })).toEqual([401, "unauthorized"]);
    expect(await outcome({ token: `${visitor.token()}x` })).toEqual([401, "unauthorized"]);
    expect(await outcome({ origin: null })).toEqual([403, "origin_not_allowed"]);
    expect(await outcome({ origin: "https://evil.example" })).toEqual([403, "origin_not_allowed"]);
    const preflight = await fetch(`${harness.url}/media`, {
      method: "OPTIONS",
      headers: { Origin: harness.host, "Access-Control-Request-Method": "POST" },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": harness.host,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "authorization, content-type, x-file-name",
      vary: "Origin",
    });
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    const refused = await upload(harness, visitor, "x", { name: "x.bin" });
    expect(refused.headers.get("access-control-allow-origin")).toBe(harness.host);
  });

  it("is refused at the size limit, whatever length was announced, and the answer names the limit (4.13-32; R-241)", async () => {
    const before = filesUnder(join(harness.dataDir, "media")).length;
    const { status, answer } = await upload(harness, visitor, endless(png(10, 10)));
    expect([status, answer]).toEqual([413, expect.objectContaining({ code: "too_large", field: "file", max: 5 * MB })]);
    expect(filesUnder(join(harness.dataDir, "media"))).toHaveLength(before);
  });

  it("is refused with a message when it is empty, badly named, damaged or has too many pixels", async () => {
    const code = async (body: RequestInit["body"], request = {}) => {
      const { answer } = await upload(harness, visitor, body, request);
      expect(answer.error).toMatch(/^[A-Z].*\.$/);
      return [answer.code, answer.field];
    };
    expect(await code("")).toEqual(["empty_file", "file"]);
    expect(await code(PNG, { headers: { "X-File-Name": "%ff" } })).toEqual(["bad_name", "x-file-name"]);
    expect(await code(png(0, 1))).toEqual(["bad_image", "file"]);
    expect(await code(png(30_000, 30_000))).toEqual(["too_many_pixels", "file"]);
    expect(await code("<svg onload=alert(1)>")).toEqual(["type_not_allowed", "file"]);
  });

  it("of another visitor cannot be sent", async () => {
    const { answer } = await upload(harness, visitor, PNG);
    const stranger = harness.visitor();
    await stranger.connect();
    stranger.write({ t: "send", id: "stolen-file", text: "mine now", media: answer.key });
    expect(await stranger.next(({ t }) => t === "error")).toMatchObject({ code: "unknown_media", id: "stolen-file" });
    expect(stranger.log()).toEqual([]);
  });

  it("is deleted with its chat: row, link and bytes", async () => {
    const leaving = harness.visitor();
    await leaving.connect();
    const { answer } = await upload(harness, leaving, PNG);
    await leaving.send("with a file", undefined, { media: answer.key });
    expect(filesUnder(join(harness.dataDir, "media")).filter((path) => path.endsWith(answer.key))).toHaveLength(1);
    leaving.write({ t: "forget" });
    await leaving.ended();
    await expect.poll(() => get(answer.url).then(({ status }) => status)).toBe(404);
    await expect
      .poll(() => filesUnder(join(harness.dataDir, "media")).filter((path) => path.endsWith(answer.key)))
      .toEqual([]);
  });

  it("of every hostile kind is refused, or stored with its real type under a generated name", async () => {
    const hostile = samples("uploads-hostile/own");
    const taken: string[] = [];
    for (const [name, bytes] of hostile) {
      const { status, answer } = await upload(harness, visitor, bytes, { name });
      expect([201, 400, 413, 415, 422]).toContain(status);
      if (status === 201) taken.push(`${name}: ${answer.type} ${answer.name}`);
      else expect(answer.code).toMatch(/^\w+$/);
    }
    if (hostile.length > 0) expect(taken.sort()).toEqual(HARMLESS);
    const { uid } = statSync(harness.dataDir);
    for (const path of filesUnder(join(harness.dataDir, "media"))) {
      expect(path).toMatch(/[/\\]media[/\\][0-9a-z]{2}[/\\][0-9a-z]{26}$/);
      expect(statSync(path)).toMatchObject({ uid });
      expect(statSync(path).mode & 0o111).toBe(0);
    }
  });

  it("of every known kind is recognised by its bytes: allowed types are accepted, all others refused", async () => {
    const known = samples("mime-samples/file-type").filter(([name]) => !name.includes("corrupt"));
    for (const [name, bytes] of known) {
      const { answer } = await upload(harness, visitor, bytes, { name: "anything.png" });
      const expected = ACCEPTED[name.split(".").at(-1) ?? ""] ?? "type_not_allowed";
      expect(`${name}: ${answer.type ?? answer.code}`).toBe(`${name}: ${expected}`);
    }
  });

  it("writes only into its own folder, whatever its name", async () => {
    const file = corpus("filenames/hostile-filenames.json");
    const names = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as string[]) : ["../../x.png", "a\0b"];
    const outside = () => filesUnder(harness.dataDir).filter((path) => !path.includes(`${join("/", "media", "/")}`));
    const before = outside();
    for (const name of names) {
      const { status, answer } = await upload(harness, visitor, PNG, { name });
      expect(status).toBe(201);
      expect(answer.name).toMatch(/^[^<>:"|?*\\/`]+\.png$/i);
    }
    expect(outside()).toEqual(before);
  });
});

describe("limits of uploads", () => {
  it("allow a visitor two uploads at a time", async () => {
    const harness = await startHarness();
    const visitor = harness.visitor();
    await visitor.connect();
    const finish: (() => void)[] = [];
    const slow = () =>
      upload(
        harness,
        visitor,
        new ReadableStream({
          start(controller) {
            controller.enqueue(new Uint8Array(PNG));
            finish.push(() => controller.close());
          },
        }),
      );
    const both = [slow(), slow()];
    const staged = () => filesUnder(join(harness.dataDir, "media", "incoming")).length;
    await expect.poll(staged).toBe(2);
    const third = await upload(harness, visitor, PNG);
    expect(third).toMatchObject({ status: 429, answer: { code: "rate_limited", retryAfter: expect.any(Number) } });
    for (const end of finish) end();
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([201, 201]);
    expect((await upload(harness, visitor, PNG)).status).toBe(201);
    expect(staged()).toBe(0);
    await harness.stop();
  });

  it("count the bytes that a visitor stored, and the uploads of an address per minute", async () => {
    const harness = await startHarness({ env: { UPLOAD_VISITOR_MB: "1", UPLOADS_PER_MINUTE: "1" } });
    const visitor = harness.visitor();
    await visitor.connect();
    const large = png(9, 9, 600_000);
    expect((await upload(harness, visitor, large)).status).toBe(201);
    expect(await upload(harness, visitor, large)).toMatchObject({ status: 413, answer: { code: "quota_exceeded" } });
    for (let i = 0; i < 8; i++) await upload(harness, visitor, PNG);
    expect(await upload(harness, visitor, PNG)).toMatchObject({ status: 429, answer: { code: "rate_limited" } });
    await harness.stop();
  });
});

describe("an upload under way", () => {
  /** An upload whose last byte the test holds back. */
  async function begin(harness: Harness, bytes: Uint8Array) {
    const visitor = harness.visitor();
    await visitor.connect();
    const { port } = new URL(harness.url);
    const headers = { Authorization: `Bearer ${visitor.token()}`, Origin: harness.host, "X-File-Name": "a.txt" };
    const request = httpRequest({ host: "127.0.0.1", port, path: "/media", method: "POST", headers });
    const answer = new Promise<number | string>((resolve) => {
      request.once("response", ({ statusCode = 0 }) => resolve(statusCode)).once("error", () => resolve("cut off"));
    });
    request.write(bytes);
    return { visitor, answer, end: () => request.end("b") };
  }
  const staged = ({ dataDir }: Harness): number[] =>
    filesUnder(join(dataDir, "media", "incoming")).map((path) => statSync(path).size);

  it("is cut off when it is the oldest, and all take more than a tenth of what a site may store (A18)", async () => {
    const caps = { UPLOAD_IMAGE_MB: "1", UPLOAD_AV_MB: "1", UPLOAD_DOCUMENT_MB: "1" };
    const harness = await startHarness({ env: { ...caps, UPLOAD_SITE_MB: "40" } });
    const part = Buffer.alloc(0.9 * MB, "a");
    const all: Awaited<ReturnType<typeof begin>>[] = [];
    for (let n = 1; n <= 4; n++) {
      all.push(await begin(harness, part));
      await expect.poll(() => staged(harness)).toEqual(Array(n).fill(part.length));
    }
    all.push(await begin(harness, part));
    expect(await all[0]?.answer).toBe("cut off");
    for (const { end } of all.slice(1)) end();
    expect(await Promise.all(all.slice(1).map(({ answer }) => answer))).toEqual([201, 201, 201, 201]);
    expect(staged(harness)).toEqual([]);
    await harness.stop();
  });

  it("is not stored when its visitor deletes the chat, even without a message", async () => {
    const harness = await startHarness();
    const { visitor, answer, end } = await begin(harness, Buffer.from("a"));
    await expect.poll(() => staged(harness)).toHaveLength(1);
    visitor.write({ t: "forget" });
    expect(await visitor.ended()).toBe(CLOSE.gone.code);
    end();
    expect(await answer).toBe(401);
    expect(filesUnder(join(harness.dataDir, "media"))).toEqual([]);
    await harness.stop();
  });
});

describe("an upload of unknown size", () => {
  it("counts as large as the largest accepted file, in the bytes of its address (A18)", async () => {
    const harness = await startHarness({
      env: { PUBLIC_URL: "https://chat.example.com", UPLOAD_AV_MB: "60", UPLOAD_ADDRESS_MB: "50" },
    });
    const visitor = harness.visitor();
    await visitor.connect();
    const chunked = () => upload(harness, visitor, new Blob([new Uint8Array(PNG)]).stream());
    expect((await chunked()).status).toBe(201);
    expect(await chunked()).toMatchObject({ status: 429, answer: { code: "rate_limited" } });
    await harness.stop();
  });
});

describe("a relay that the service can reach", () => {
  it("gives links that need no login and last a week, and accepts larger files (4.13-32; R-234, R-241)", async () => {
    const harness = await startHarness({
      env: { PUBLIC_URL: "https://chat.example.com" },
      sandbox: { mediaFetch: "off" },
    });
    const visitor = harness.visitor();
    await visitor.connect();
    const large = png(4_000, 3_000, 6 * MB);
    const { answer } = await upload(harness, visitor, large, { name: "large.png" });
    await visitor.send("by link", undefined, { media: answer.key });
    await harness.sandbox.until((sandbox) => sandbox.messages().length > 0);
    // The message has a link to the file, because a file of this size does not fit into it.
    const { media } = harness.sandbox.messages()[0] as { media?: { url: string; type: string } };
    expect(media).toMatchObject({ type: "image/png" });
    const link = new URL(media?.url ?? "");
    expect(link.origin).toBe("https://chat.example.com");
    const fetched = await fetch(`${harness.url}${link.pathname}${link.search}`, { redirect: "error" });
    expect(fetched.headers.get("content-type")).toBe("image/png");
    expect((await fetched.bytes()).length).toBe(large.length);
    await harness.stop();
  });
});
