import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { corpus } from "../corpora.ts";
import { type House, startHouse } from "../harness.ts";
import { post } from "../uploads.ts";
import { leaveBrowser, sharedBrowser } from "./shared.ts";

const SCRIPT = `<script>parent.postMessage("XSS","*");alert(1)</script>`;
/** Examples of our own, besides those of the corpus. */
const OWN: [string, Buffer<ArrayBuffer>][] = [
  ["gif.gif", Buffer.from(`GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff;${SCRIPT}`, "latin1")],
  ["pdf.pdf", Buffer.from(`%PDF-1.4\n%${SCRIPT}\n%%EOF`)],
  ["page.html", Buffer.from(`<!doctype html>${SCRIPT}`)],
  ["picture.svg", Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`)],
];
const BY_ENDING: Record<string, string> = {
  html: "text/html",
  svg: "image/svg+xml",
  xml: "text/xml",
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  txt: "text/plain",
  mp4: "video/mp4",
  pdf: "application/pdf",
};

function hostile(): [string, Buffer<ArrayBuffer>][] {
  const folder = corpus("uploads-hostile/own");
  if (!existsSync(folder)) return OWN;
  const names = readdirSync(folder).filter((name) => name !== "LICENSE");
  return [
    ...OWN,
    ...names.map((name): [string, Buffer<ArrayBuffer>] => [name, Buffer.from(readFileSync(join(folder, name)))]),
  ];
}

describe("uploads that are opened in a browser", () => {
  let house: House;
  let browser: Browser;
  beforeAll(async () => {
    const isolated = { "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Opener-Policy": "same-origin" };
    house = await startHouse({ env: { UPLOADS_PER_MINUTE: "0" }, tag: { headers: () => isolated } });
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await leaveBrowser();
    await house.stop();
  });

  /** Opens an address by itself, and inside a page that looks at what it says; tells whether it ran anything. */
  async function runs(address: string): Promise<boolean> {
    const page = await browser.newPage();
    let ran = false;
    page.on("dialog", async (dialog) => {
      ran = true;
      await dialog.dismiss();
    });
    // A file that is to be saved ends the navigation.
    await page.goto(address).catch(() => undefined);
    await page.close();
    return ran;
  }

  it("run nothing, while the same files from a careless server do", async () => {
    const files = new Map(hostile());
    const careless = createServer((request, response) => {
      const name = decodeURIComponent(request.url?.slice(1) ?? "");
      response.setHeader("Content-Type", BY_ENDING[name.split(".").at(-1) ?? ""] ?? "application/octet-stream");
      response.end(files.get(name));
    });
    await new Promise<void>((resolve) => careless.listen(0, "127.0.0.1", resolve));
    const control = `http://127.0.0.1:${(careless.address() as AddressInfo).port}`;
    const visitor = house.visitor();
    await visitor.connect();

    const carelessRuns: string[] = [];
    const ourRuns: string[] = [];
    let stored = 0;
    for (const [name, bytes] of files) {
      if (await runs(`${control}/${encodeURIComponent(name)}`)) carelessRuns.push(name);
      const { status, answer } = await post(house, visitor, bytes, { name });
      if (status !== 201) continue;
      stored++;
      if (await runs(`${house.url}${answer.url}`)) ourRuns.push(name);
    }
    careless.close();
    careless.closeAllConnections();
    expect(ourRuns).toEqual([]);
    expect(stored).toBeGreaterThan(0);
    expect(carelessRuns.length).toBeGreaterThan(1);
  });

  it("are shown to a page of another origin that isolates itself, and refused files are told of before all is sent", async () => {
    const visitor = house.visitor();
    await visitor.connect();
    const page = await browser.newPage();
    await page.goto(house.host);
    const outcome = await page.evaluate(
      async ({ relay, token }) => {
        const headers = { Authorization: `Bearer ${token}`, "X-File-Name": "big.bin" };
        const send = async (body: BodyInit) => {
          const response = await fetch(`${relay}/media`, { method: "POST", headers, body });
          return { status: response.status, answer: (await response.json()) as { code?: string; url?: string } };
        };
        const canvas = document.createElement("canvas");
        const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
        const taken = await send(blob ?? "");
        const image = new Image();
        image.src = relay + (taken.answer.url ?? "");
        await image.decode();
        const refused = await send(new Uint8Array(30 * 1024 * 1024).fill(65));
        return { isolated: crossOriginIsolated, taken: taken.status, width: image.naturalWidth, refused };
      },
      { relay: house.url, token: visitor.token() },
    );
    expect(outcome).toMatchObject({
      isolated: true,
      taken: 201,
      width: 300,
      refused: { status: 415, answer: { code: "type_not_allowed" } },
    });
    await page.close();
  });
});
