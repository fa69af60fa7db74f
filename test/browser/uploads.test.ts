import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostileFiles } from "../attacks/uploads.ts";
import { type Harness, startHarness } from "../harness.ts";
import { startUnprotectedServer } from "../unprotected-server.ts";
import { upload } from "../uploads.ts";
import { closeContexts, sharedBrowser } from "./shared.ts";

describe("uploads that are opened in a browser", () => {
  let harness: Harness;
  let browser: Browser;
  beforeAll(async () => {
    const isolated = { "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Opener-Policy": "same-origin" };
    harness = await startHarness({ env: { UPLOADS_PER_MINUTE: "0" }, tag: { headers: () => isolated } });
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await closeContexts();
    await harness.stop();
  });

  /** Opens an address in a tab and inside a page that listens for its messages. @returns whether the file ran a script */
  async function runs(address: string): Promise<boolean> {
    const page = await browser.newPage();
    let ran = false;
    page.on("dialog", (dialog) => {
      ran = true;
      // A closed page has dismissed its dialog.
      dialog.dismiss().catch(() => undefined);
    });
    // A download ends the navigation with an error.
    await page.goto(address).catch(() => undefined);
    await page.close();
    return ran;
  }

  it("run no script, while the same files from an unprotected server do", async () => {
    const files = new Map(hostileFiles());
    const unprotected = await startUnprotectedServer(files);
    const visitor = harness.visitor();
    await visitor.connect();

    const unprotectedRuns: string[] = [];
    const ourRuns: string[] = [];
    let stored = 0;
    for (const [name, bytes] of files) {
      if (await runs(unprotected.addressOf(name))) unprotectedRuns.push(name);
      const { status, answer } = await upload(harness, visitor, new Uint8Array(bytes), { name });
      if (status !== 201) continue;
      stored++;
      if (await runs(`${harness.url}${answer.url}`)) ourRuns.push(name);
    }
    unprotected.stop();
    expect(ourRuns).toEqual([]);
    expect(stored).toBeGreaterThan(0);
    expect(unprotectedRuns.length).toBeGreaterThan(1);
  });

  it("are shown to a cross-origin isolated page, and refused files are reported before all their bytes are sent", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    const page = await browser.newPage();
    await page.goto(harness.host);
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
      { relay: harness.url, token: visitor.token() },
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
