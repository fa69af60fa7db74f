import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "./harness.ts";

type Frame = { t: string; code?: number; token?: string; message?: { text: string; from: string; state?: string } };

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ sandbox: { botScript: "echo" } });
});
afterAll(() => harness.stop());

const ask = (path: string, init: RequestInit = {}, origin = harness.host): Promise<Response> =>
  fetch(`${harness.url}${path}`, { ...init, headers: { origin, ...init.headers } });

async function openLine(): Promise<string> {
  const answer = await ask("/socket/lines", { method: "POST" });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { line: string }).line;
}

const put = (line: string, ...frames: object[]): Promise<Response> =>
  ask(`/socket/lines/${line}`, { method: "POST", body: frames.map((frame) => JSON.stringify(frame)).join("\n") });

const framesOf = (text: string): Frame[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Frame);

/** Polls until the wanted frame arrived. @returns all frames so far */
async function pollUntil(line: string, wanted: (frame: Frame) => boolean): Promise<Frame[]> {
  const frames: Frame[] = [];
  while (!frames.some(wanted)) frames.push(...framesOf(await (await ask(`/socket/lines/${line}?mode=poll`)).text()));
  return frames;
}

const HELLO = { t: "hello", v: 1, site: "default" };

describe("a browser without WebSockets", () => {
  it("has the whole conversation over long polls", async () => {
    const line = await openLine();
    await put(line, HELLO, { t: "send", id: "over-the-poll", text: "Do you ship to Norway?" });
    const frames = await pollUntil(line, (frame) => frame.message?.from === "reply");
    // The reply may arrive before the message is marked as delivered.
    const delivered = (frame: Frame) => frame.message?.state === "delivered";
    if (!frames.some(delivered)) frames.push(...(await pollUntil(line, delivered)));
    expect(frames[0]?.t).toBe("welcome");
    const received = frames
      .filter((frame) => frame.message)
      .map((frame) => frame.message?.state ?? frame.message?.text);
    expect(received[0]).toBe("sent");
    expect(received.slice(1).toSorted()).toEqual(["delivered", expect.stringContaining("Do you ship to Norway?")]);
  });

  it("has the whole conversation over one streamed answer", async () => {
    const line = await openLine();
    const answer = await ask(`/socket/lines/${line}?mode=stream`);
    expect(answer.headers.get("x-accel-buffering")).toBe("no");
    expect(answer.headers.get("cache-control")).toContain("no-transform");
    await put(line, HELLO, { t: "send", id: "over-the-stream", text: "And back?" });
    let text = "";
    const decoder = new TextDecoder();
    for await (const part of answer.body ?? []) {
      text += decoder.decode(part as Uint8Array, { stream: true });
      if (text.includes('"from":"reply"')) break;
    }
    expect(framesOf(text.slice(0, text.lastIndexOf("\n"))).map((frame) => frame.t)).toContain("welcome");
  });

  it("learns from the last frame why its connection ended", async () => {
    const line = await openLine();
    await put(line, { t: "hello", v: 1, site: "default", token: "forged.token" });
    expect(await pollUntil(line, (frame) => frame.t === "end")).toContainEqual({ t: "end", code: 4401 });
  });

  it("gets waiting frames at once, if it cannot keep a connection open", async () => {
    const line = await openLine();
    const shortPoll = async (): Promise<Frame[]> =>
      framesOf(await (await ask(`/socket/lines/${line}?mode=poll&wait=0`)).text());
    expect(await shortPoll()).toEqual([]);
    await put(line, HELLO);
    await expect.poll(shortPoll).toMatchObject([{ t: "welcome" }]);
    expect(await shortPoll()).toEqual([]);
  });

  it("reads on the relay's own page without an Origin header, which browsers do not send with such a GET", async () => {
    const origin = harness.url.replace("127.0.0.1", "localhost");
    const opened = await ask("/socket/lines", { method: "POST" }, origin);
    const { line } = (await opened.json()) as { line: string };
    await ask(`/socket/lines/${line}`, { method: "POST", body: JSON.stringify(HELLO) }, origin);
    const read = (site: string): Promise<Response> =>
      fetch(`${harness.url}/socket/lines/${line}?mode=poll`, { headers: { "sec-fetch-site": site } });
    expect(framesOf(await (await read("same-origin")).text())[0]?.t).toBe("welcome");
    for (const site of ["cross-site", "same-site", "none"]) expect((await read(site)).status).toBe(403);
  });

  it("may read the relay's health", async () => {
    expect((await fetch(`${harness.url}/healthz`)).headers.get("access-control-allow-origin")).toBe("*");
  });

  it("can end its connection", async () => {
    const line = await openLine();
    expect((await ask(`/socket/lines/${line}/end`, { method: "POST" })).status).toBe(204);
    expect((await put(line, HELLO)).status).toBe(404);
  });
});

it("opens connections only for pages of allowed origins, and binds each to its origin", async () => {
  const line = await openLine();
  expect((await ask("/socket/lines", { method: "POST" }, "https://evil.example")).status).toBe(403);
  expect((await fetch(`${harness.url}/socket/lines`, { method: "POST" })).status).toBe(403);
  expect((await ask(`/socket/lines/${line}?mode=poll`, {}, "https://evil.example")).status).toBe(403);
  const allowed = await ask("/socket/lines", { method: "POST" });
  expect(allowed.headers.get("access-control-allow-origin")).toBe(harness.host);
});
