/** The files that wait to be sent: their list, their uploads and their problems. `file-tray.tsx` shows them. */

import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import type { Attachment } from "../../conversation/chat.ts";
import { type Upload, type UploadFailure, upload } from "../../conversation/upload.ts";
import type { Key } from "../../locales/en.types.ts";
import { rareSettings } from "../../settings/rare-options.ts";
import type { Needs } from "../base/context.ts";
import type { PickedFile } from "../base/files.ts";
import { canShrink, smallerPicture } from "./shrink.ts";

/** Files in the tray at a time. */
export const FILES_MAX = 5;

export type PendingFile = {
  name: string;
  /** Bytes. */
  size: number;
  /** Address of the picture in this browser's memory. */
  preview: string | undefined;
  /** Path of the icon; absent: a document. */
  icon?: string | undefined;
  /** The part that has been uploaded, 0 to 1. */
  part: number;
  attachment?: Attachment;
  /** Why the file cannot be sent, in words. */
  problem?: string;
  upload?: Upload;
};

/** The members of the panel's context that the tray uses. */
export type TrayDeps = Needs<"t" | "chat" | "shell" | "settings" | "language" | "announcer" | "focusComposer">;

export type TrayState = TrayDeps & {
  list: Signal<readonly PendingFile[]>;
  /** More files were picked than there was room for. Shown until there is room. */
  tooMany: Signal<boolean>;
  /** Uploads run one after another, because the relay accepts two at a time from a visitor, who may have a second tab. */
  queue: Promise<void>;
};

/** An empty tray. */
export const createTrayState = (deps: TrayDeps): TrayState => ({
  ...deps,
  list: signal([]),
  tooMany: signal(false),
  queue: Promise.resolve(),
});

/** The words for the relay's error codes. All other codes mean that the upload failed. */
const PROBLEMS: { readonly [code: string]: Key } = {
  type_not_allowed: "wrongType",
  too_large: "tooBig",
  empty_file: "emptyFile",
};

/** The largest file of this type that the relay accepts, in bytes; 0: none. The relay checks again. */
function limitOf({ settings }: TrayDeps, { type }: File): number {
  const { image = 0, av = 0, document = 0 } = settings.peek().uploads ?? {};
  return /^image/.test(type) ? image : /^(audio|video)/.test(type) ? av : document;
}

/** Replaces an entry of the list. Returns the new entry. */
function change({ list }: TrayState, one: PendingFile, now: Partial<PendingFile>): PendingFile {
  const next = { ...one, ...now };
  list.value = list.peek().map((other) => (other === one ? next : other));
  return next;
}

const release = ({ preview }: PendingFile): void => {
  if (preview) URL.revokeObjectURL(preview);
};

/** Removes a file from the list, and cancels its upload. */
export function discard({ list }: TrayState, one: PendingFile): void {
  release(one);
  list.value = list.peek().filter((other) => other !== one);
  one.upload?.cancel();
}

/** Removes all files, and cancels uploads under way. */
export function clear(tray: TrayState): void {
  for (const one of tray.list.peek()) discard(tray, one);
}

/** Adds files, as many as there is room for, and starts their uploads. */
export function add(tray: TrayState, files: Iterable<PickedFile>): void {
  const { list, tooMany, announcer, t } = tray;
  const picked = [...files];
  const room = FILES_MAX - list.peek().length;
  tooMany.value = picked.length > room;
  if (tooMany.peek()) announcer.alert(t("tooMany", { n: FILES_MAX }));
  for (const file of picked.slice(0, room)) {
    const preview = /^image\/(?!svg)/.test(file.type) ? URL.createObjectURL(file) : undefined;
    const one: PendingFile = { name: file.title ?? file.name, size: file.size, preview, icon: file.icon, part: 0 };
    list.value = [...list.peek(), one];
    begin(tray, file, one);
  }
}

/** Checks a file and queues its upload. */
function begin(tray: TrayState, file: File, one: PendingFile): void {
  const limit = limitOf(tray, file);
  if (limit === 0) return fail(tray, file, one, "type_not_allowed");
  if (file.size === 0) return fail(tray, file, one, "empty_file");
  const mayShrink = canShrink(file) && rareSettings(tray).shrinkPictures;
  if (file.size > limit && !mayShrink) return fail(tray, file, one, "too_large");
  tray.chat.start();
  tray.queue = tray.queue.then(() => (mayShrink ? shrinkAndSend(tray, file, one) : send(tray, file, one)));
}

/** Makes a picture smaller and uploads it if it fits now. Never rejects. */
async function shrinkAndSend(tray: TrayState, file: File, one: PendingFile): Promise<void> {
  if (!tray.list.peek().includes(one)) return;
  const smaller = await smallerPicture(file);
  if (!tray.list.peek().includes(one)) return;
  const now = change(tray, one, { name: smaller.name, size: smaller.size });
  if (smaller.size > limitOf(tray, smaller)) return fail(tray, smaller, now, "too_large");
  await send(tray, smaller, now);
}

/** Uploads a file, unless the visitor has removed it meanwhile. Never rejects. */
async function send(tray: TrayState, file: File, first: PendingFile): Promise<void> {
  const { list, chat, shell } = tray;
  let one = first;
  await until(chat.ready);
  if (!list.peek().includes(one)) return;
  const running = upload({
    relay: shell.relay,
    token: chat.token(),
    file,
    onProgress(part) {
      if (list.peek().includes(one)) one = change(tray, one, { part });
    },
  });
  one = change(tray, one, { upload: running });
  await running.done.then(
    (attachment) => {
      one = change(tray, one, { attachment, part: 1 });
    },
    ({ code }: UploadFailure) => fail(tray, file, one, code),
  );
}

/** Shows and announces why a file cannot be sent. */
function fail(tray: TrayState, file: File, one: PendingFile, code: string): void {
  const { list, t, language, announcer } = tray;
  if (!list.peek().includes(one)) return;
  const max = sizeName(limitOf(tray, file), language.value.region, true);
  const problem = t(PROBLEMS[code] ?? "uploadFailed", { max });
  change(tray, one, { problem });
  announcer.alert(`${file.name}: ${problem}`);
}

/** Keeps the uploads after the first `count`; drops the sent ones and those that failed. */
export function dropSent({ list, tooMany }: TrayState, count: number): void {
  const kept = list
    .peek()
    .filter((one) => one.attachment && !one.problem)
    .slice(count);
  for (const one of list.peek()) if (!kept.includes(one)) release(one);
  list.value = kept;
  tooMany.value = false;
}

/** `uploading`: at least one file cannot be sent yet. Files with a problem do not count. */
export function stateOf({ list }: TrayState): "none" | "uploading" | "ready" {
  const good = list.value.filter((one) => !one.problem);
  return good.length === 0 ? "none" : good.every((one) => one.attachment) ? "ready" : "uploading";
}

const UNITS = ["byte", "kilobyte", "megabyte"] as const;

/**
 * A file size in the visitor's language: "52 kB".
 * @param whole rounds down to whole units, for a limit: a file of 5 MB fits where 5 * 1024 * 1024 bytes may be sent
 */
export function sizeName(bytes: number, tag: string, whole = false): string {
  const step = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const format: Intl.NumberFormatOptions = {
    style: "unit",
    unit: UNITS[step],
    // The short form would give "70 byte" in English.
    unitDisplay: step ? "short" : "long",
    maximumFractionDigits: step && !whole && bytes < 10 ** (3 * step + 1) ? 1 : 0,
  };
  const size = bytes / 1_000 ** step;
  return new Intl.NumberFormat(tag, format).format(whole ? Math.floor(size) : size);
}

/** Resolves once the flag is true. */
function until(flag: ReadonlySignal<boolean>): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!flag.value) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}
