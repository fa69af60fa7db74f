/** Files on their way: picked, dropped or pasted, shown above the text field until they are sent. Fetched when first used. */

import { computed, effect, type ReadonlySignal, signal } from "@preact/signals-core";
import type { Attachment } from "../../conversation/chat.ts";
import { type Upload, type UploadFailure, upload } from "../../conversation/upload.ts";
import { rare } from "../../locales/en.rare.ts";
import type { Key } from "../../text/i18n.ts";
import { addEnglish } from "../../text/i18n.ts";
import { live } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import type { Files } from "../base/files.ts";
import { Icon } from "../base/icons.tsx";
import { adopt } from "../base/style.ts";
import { fileIcon } from "./file-link.tsx";
import css from "./file-tray.css?inline";

addEnglish(rare);

export { Attached } from "./attachment.tsx";

/** Files at a time. */
const FILES_MAX = 5;

type Pending = {
  name: string;
  size: number;
  /** Address of the picture in this browser's memory. */
  preview: string | undefined;
  /** 0..1 */
  part: number;
  attachment?: Attachment;
  problem?: string;
  upload?: Upload;
};

/** What the relay's codes mean to the visitor; all others: it did not work. */
const PROBLEMS: { readonly [code: string]: Key } = { type_not_allowed: "wrongType", too_large: "tooBig" };

type TrayNeeds = Needs<"t" | "language" | "settings" | "chat" | "shell" | "announcer" | "focusComposer">;

export function createFiles(ui: TrayNeeds): Files {
  const { t, chat, shell, settings, language, announcer } = ui;
  const list = signal<readonly Pending[]>([]);
  const change = (one: Pending, now: Partial<Pending>): Pending => {
    const next = { ...one, ...now };
    list.value = list.peek().map((other) => (other === one ? next : other));
    return next;
  };
  /** The relay looks itself; this only spares the way. */
  const limitOf = ({ type }: File): number => {
    const { image = 0, av = 0, document = 0 } = settings.peek().uploads ?? {};
    return /^image/.test(type) ? image : /^(audio|video)/.test(type) ? av : document;
  };
  const words = (code: string, file: File): string =>
    t(PROBLEMS[code] ?? "uploadFailed", { name: file.name, max: sizeName(limitOf(file), language.value.region) });

  // One after the other: the relay takes two at a time from a visitor, who may have a second tab.
  let line: Promise<void> = Promise.resolve();
  const begin = (file: File, first: Pending): void => {
    let one = first;
    const fail = (code: string): void => {
      if (!list.peek().includes(one)) return;
      one = change(one, { problem: words(code, file) });
      announcer.alert(words(code, file));
    };
    if (limitOf(file) === 0) return fail("type_not_allowed");
    if (file.size > limitOf(file)) return fail("too_large");
    chat.start();
    line = line.then(async () => {
      await until(chat.ready);
      // Removed meanwhile: then it never leaves the browser.
      if (!list.peek().includes(one)) return;
      const running = upload({
        relay: shell.relay,
        token: chat.token(),
        file,
        onProgress(part) {
          if (list.peek().includes(one)) one = change(one, { part });
        },
      });
      one = change(one, { upload: running });
      await running.done.then(
        (attachment) => {
          one = change(one, { attachment, part: 1 });
        },
        ({ code }: UploadFailure) => fail(code),
      );
    });
  };
  const discard = (one: Pending): void => {
    if (one.preview) URL.revokeObjectURL(one.preview);
    list.value = list.peek().filter((other) => other !== one);
    one.upload?.cancel();
  };
  /** Previews that cannot be shown: the page's policy lets no picture come from memory, or it is none. */
  const unseen = signal<readonly string[]>([]);
  /** More were picked than there was room for: said until there is some. */
  const tooMany = signal(false);
  const remove = (one: Pending): void => {
    discard(one);
    tooMany.value = false;
    ui.focusComposer();
  };

  const clear = (): void => {
    for (const one of list.peek()) discard(one);
  };
  // Whoever left, or had everything deleted, leaves no files to the next one; nor could that one send them.
  let forgetting = false;
  effect(() => {
    const why = chat.ending.value;
    if (why !== "gone" && why !== "normal") return;
    if (!forgetting) clear();
    forgetting = false;
  });

  const Tray = live((_: Needs<never>, mounted) => {
    mounted(() => adopt(shell.root, css));
    return () =>
      list.value[0] && (
        <>
          {tooMany.value && <p class="counter over">{t("tooMany", { n: FILES_MAX })}</p>}
          <ul class="tray">
            {list.value.map((one) => (
              <li class={one.problem ? "bad" : ""}>
                {one.preview && !unseen.value.includes(one.preview) ? (
                  <img
                    src={one.preview}
                    alt=""
                    onError={({ currentTarget }) => {
                      unseen.value = [...unseen.peek(), currentTarget.src];
                    }}
                  />
                ) : (
                  fileIcon()
                )}
                <p>
                  <bdi>{one.name}</bdi>
                  <small key={one.problem}>{one.problem ?? sizeName(one.size, language.value.region)}</small>
                  {!one.attachment && !one.problem && (
                    <progress value={one.part} aria-label={t("uploading", { name: one.name })} />
                  )}
                </p>
                <button type="button" aria-label={t("removeFile", { name: one.name })} onClick={() => remove(one)}>
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ul>
        </>
      );
  });
  return {
    Tray,
    state: computed(() => {
      const good = list.value.filter((one) => !one.problem);
      return good.length === 0 ? "none" : good.every((one) => one.attachment) ? "ready" : "uploading";
    }),
    add(files) {
      const picked = [...files];
      const room = FILES_MAX - list.peek().length;
      tooMany.value = picked.length > room;
      if (tooMany.peek()) announcer.alert(t("tooMany", { n: FILES_MAX }));
      for (const file of picked.slice(0, room)) {
        const preview = /^image\/(?!svg)/.test(file.type) ? URL.createObjectURL(file) : undefined;
        const one: Pending = { name: file.name, size: file.size, preview, part: 0 };
        list.value = [...list.peek(), one];
        begin(file, one);
      }
    },
    handOver(before, now) {
      if (before && subjectOf(before) !== subjectOf(now)) clear();
    },
    forget() {
      clear();
      forgetting = true;
    },
    ready: () => list.peek().flatMap((one) => one.attachment ?? []),
    sent(count) {
      const kept = list
        .peek()
        .filter((one) => one.attachment && !one.problem)
        .slice(count);
      for (const one of list.peek()) if (one.preview && !kept.includes(one)) URL.revokeObjectURL(one.preview);
      list.value = kept;
      tooMany.value = false;
    },
  };
}

/** Whom a signed identity names (RFC 7519, section 4.1.2). Whether it is true, the relay says. */
function subjectOf(token: string): unknown {
  try {
    const claims = token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? "";
    return JSON.parse(atob(claims)).sub;
  } catch {
    return token;
  }
}

const UNITS = ["byte", "kilobyte", "megabyte"] as const;

/** "52 kB" in the visitor's language. */
function sizeName(bytes: number, tag: string): string {
  const step = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const format: Intl.NumberFormatOptions = {
    style: "unit",
    unit: UNITS[step],
    // "70 byte" is no English.
    unitDisplay: step ? "short" : "long",
    maximumFractionDigits: step && bytes < 10 ** (3 * step + 1) ? 1 : 0,
  };
  return new Intl.NumberFormat(tag, format).format(bytes / 1_000 ** step);
}

function until(flag: ReadonlySignal<boolean>): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!flag.value) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}
