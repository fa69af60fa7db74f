import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Upload, upload } from "./upload.ts";

/** The browser's request; the test plays the relay. */
class FakeRequest {
  static last: FakeRequest;
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  headers: Record<string, string> = {};
  address: string[] = [];
  status = 0;
  responseText = "";
  body: unknown;
  onload = (): void => {};
  onerror = (): void => {};
  onabort = (): void => {};
  constructor() {
    FakeRequest.last = this;
  }
  open(...address: string[]): void {
    this.address = address;
  }
  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value;
  }
  send(body: unknown): void {
    this.body = body;
  }
  abort(): void {
    this.onabort();
  }
  answer(status: number, text: string): void {
    Object.assign(this, { status, responseText: text });
    this.onload();
  }
}

const file = new File(["12345"], "grün.png", { type: "image/png" });
let parts: number[];
let started: Upload;

beforeEach(() => {
  vi.stubGlobal("XMLHttpRequest", FakeRequest);
  parts = [];
  started = upload({
    relay: "https://relay.example",
    token: "token-1",
    file,
    onProgress: (part) => parts.push(part),
  });
});
afterEach(() => vi.unstubAllGlobals());

it("posts the file with the visitor's token and its encoded name, and reports progress", () => {
  const { address, headers, body, upload: up } = FakeRequest.last;
  expect([address, headers, body]).toEqual([
    ["POST", "https://relay.example/media"],
    { Authorization: "Bearer token-1", "X-File-Name": "gr%C3%BCn.png", "Content-Type": "image/png" },
    file,
  ]);
  up.onprogress?.({ loaded: 2, total: 5 });
  up.onprogress?.({ loaded: 0, total: 0 });
  expect(parts).toEqual([0.4, 0]);
});

it("resolves with the key and the details that the relay answers; a picture without a size has none", async () => {
  FakeRequest.last.answer(201, '{"key":"k","url":"/media/a","type":"image/png","name":"a.png","size":5,"width":0}');
  expect(await started.done).toEqual({
    key: "k",
    media: { url: "/media/a", type: "image/png", name: "a.png", size: 5 },
  });
});

it.each([
  ["the relay's code", 413, '{"code":"too_large"}', "too_large"],
  ["`network` for an answer that is not the relay's", 502, "<h1>Bad gateway</h1>", "network"],
  ["`network` for a success without a key", 201, "null", "network"],
])("rejects with %s", async (_, status, text, code) => {
  FakeRequest.last.answer(status, text);
  await expect(started.done).rejects.toEqual({ code });
});

it("rejects with `network` without a connection, and with `aborted` when cancelled", async () => {
  FakeRequest.last.onerror();
  await expect(started.done).rejects.toEqual({ code: "network" });
  const other = upload({ relay: "https://relay.example", token: "t", file, onProgress() {} });
  other.cancel();
  await expect(other.done).rejects.toEqual({ code: "aborted" });
});
