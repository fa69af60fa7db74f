// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Files } from "../base/files.ts";
import { createFixture, drawn, type Fixture } from "../base/ui.fixture.ts";
import { createFiles } from "./file-tray.tsx";

/** Started uploads, oldest first. */
let uploads: FakeRequest[];
class FakeRequest {
  upload = {};
  status = 201;
  responseText = JSON.stringify({ key: "key" });
  aborted = false;
  onload = (): void => {};
  onabort = (): void => {};
  open(): void {}
  setRequestHeader(): void {}
  send(): void {
    uploads.push(this);
  }
  abort(): void {
    this.aborted = true;
    this.onabort();
  }
}

let on: Fixture;
let files: Files;
const textFiles = (...names: string[]): File[] => names.map((name) => new File(["text"], name, { type: "text/plain" }));
const shown = (): unknown[] => [...on.root.querySelectorAll(".tray bdi")].map((node) => node.textContent);

beforeEach(async () => {
  uploads = [];
  vi.stubGlobal("XMLHttpRequest", FakeRequest);
  on = await createFixture();
  on.settings.value = { ...on.settings.value, uploads: { image: 1_000, av: 1_000, document: 1_000 } };
  files = createFiles(on.ui);
  on.show(files.Tray);
});
afterEach(() => {
  on.stop();
  vi.unstubAllGlobals();
});

it("uploads one file after another, and is ready when all are uploaded", async () => {
  files.add(textFiles("one.txt", "two.txt", "three.txt"));
  for (const count of [1, 2, 3]) {
    await expect.poll(() => uploads).toHaveLength(count);
    await drawn();
    expect([uploads.length, files.state.value]).toEqual([count, "uploading"]);
    uploads.at(-1)?.onload();
  }
  await expect.poll(() => files.state.value).toBe("ready");
  expect(files.ready()).toHaveLength(3);
});

it("shows the title and the icon of a recording in the place of its file name and a document", async () => {
  const [file] = textFiles("Voice message.webm");
  files.add([Object.assign(file as File, { title: "Voice message, 0:07", icon: "M1 2v3" })]);
  await drawn();
  expect(shown()).toEqual(["Voice message, 0:07"]);
  expect(on.root.querySelector(".tray li > .icon path")?.getAttribute("d")).toBe("M1 2v3");
  expect(on.root.querySelector(".tray button")?.getAttribute("aria-label")).toContain("Voice message, 0:07");
});

it("never uploads a file that was removed before its turn", async () => {
  files.add(textFiles("one.txt", "two.txt", "three.txt"));
  await expect.poll(() => uploads).toHaveLength(1);
  await drawn();
  on.root.querySelectorAll<HTMLElement>(".tray button")[1]?.click();
  uploads[0]?.onload();
  await expect.poll(() => uploads).toHaveLength(2);
  uploads[1]?.onload();
  await expect.poll(() => files.state.value).toBe("ready");
  await drawn();
  expect([uploads.length, shown()]).toEqual([2, ["one.txt", "three.txt"]]);
});

it.each(["gone", "normal"] as const)("the tray is empty for the next visitor when the chat ends: %s", async (why) => {
  files.add(textFiles("one.txt", "two.txt"));
  await expect.poll(() => uploads).toHaveLength(1);
  await drawn();
  expect(shown()).toEqual(["one.txt", "two.txt"]);
  on.chat.ending.value = why;
  await drawn();
  expect([uploads[0]?.aborted, files.state.value, files.ready(), shown()]).toEqual([true, "none", [], []]);
});

it("keeps the files that the visitor picks after deleting the conversation, for the next one", async () => {
  files.add(textFiles("before.txt"));
  await expect.poll(() => uploads).toHaveLength(1);
  files.forget();
  files.add(textFiles("after.txt"));
  on.chat.ending.value = "gone";
  await drawn();
  expect([uploads[0]?.aborted, shown()]).toEqual([true, ["after.txt"]]);
  on.chat.ending.value = undefined;
  on.chat.ending.value = "normal";
  await drawn();
  expect(shown()).toEqual([]);
});

it("reports that there is no room for more files, and does not repeat it until there was room", async () => {
  files.add(textFiles("1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt", "7.txt"));
  await drawn();
  const words = "You can add up to 5 files at a time. The others weren't added.";
  const line = (): unknown => on.root.querySelector("#panel > p")?.textContent;
  expect([shown().length, line(), on.said]).toEqual([5, words, [`! ${words}`]]);
  on.root.querySelectorAll<HTMLElement>(".tray button")[1]?.click();
  await drawn();
  expect([shown().length, line()]).toEqual([4, undefined]);
  files.add(textFiles("8.txt"));
  files.add(textFiles("9.txt"));
  await drawn();
  expect([shown().length, line(), on.said]).toEqual([5, words, [`! ${words}`, `! ${words}`]]);
});

it("names the limit in whole units when a file is too large", async () => {
  on.settings.value = { ...on.settings.value, uploads: { image: 0, av: 0, document: 5 * 1_024 * 1_024 } };
  files.add([new File([new Uint8Array(5_300_000)], "long.txt", { type: "text/plain" })]);
  await drawn();
  expect(on.root.querySelector(".tray small")?.textContent).toBe("Too large. The limit is 5 MB.");
});

it("says that a file is empty, without uploading it", async () => {
  files.add([new File([], "empty.pdf", { type: "application/pdf" })]);
  await drawn();
  expect(on.root.querySelector(".tray small")?.textContent).toBe("This file is empty.");
  expect([uploads.length, files.state.value]).toEqual([0, "none"]);
});
