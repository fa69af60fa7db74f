/** Files that the visitor has picked, dropped or pasted, above the text field until they are sent. Fetched when first used. */

import { computed, effect, signal } from "@preact/signals-core";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import type { Files } from "../base/files.ts";
import { draw, Icon } from "../base/icons.tsx";
import { adopt } from "../base/style.ts";
import { fileIcon } from "./file-link.tsx";
import css from "./file-tray.css?inline";
import {
  add,
  clear,
  createTrayState,
  discard,
  dropSent,
  FILES_MAX,
  type PendingFile,
  sizeName,
  stateOf,
  type TrayDeps,
  type TrayState,
} from "./tray-state.ts";

addEnglish(rare);

export { Attached } from "./attachment.tsx";

/** Creates the tray of picked files and the component that shows it. */
export function createFiles(deps: TrayDeps): Files {
  const tray = createTrayState(deps);
  // A visitor who logged out, or whose conversation was deleted, leaves no files to the next one.
  let forgetting = false;
  effect(() => {
    const why = tray.chat.ending.value;
    if (why !== "gone" && why !== "normal") return;
    if (!forgetting) clear(tray);
    forgetting = false;
  });
  return {
    Tray: trayOf(tray),
    state: computed(() => stateOf(tray)),
    add: (files) => add(tray, files),
    identify(before, now) {
      if (before && subjectOf(before) !== subjectOf(now)) clear(tray);
    },
    forget() {
      clear(tray);
      forgetting = true;
    },
    ready: () => tray.list.peek().flatMap((one) => one.attachment ?? []),
    sent: (count) => dropSent(tray, count),
  };
}

/** The component that shows a tray. */
function trayOf(tray: TrayState) {
  const { list, tooMany, t, shell, focusComposer } = tray;
  const remove = (one: PendingFile): void => {
    discard(tray, one);
    tooMany.value = false;
    focusComposer();
  };
  return component((_: Needs<never>, mounted) => {
    mounted(() => adopt(shell.root, css));
    return () =>
      list.value[0] && (
        <>
          {tooMany.value && <p class="counter over">{t("tooMany", { n: FILES_MAX })}</p>}
          <ul class="tray">
            {refusedFirst(list.value).map((one) => (
              <li class={one.problem ? "bad" : ""}>
                <Preview address={one.preview} icon={one.icon} />
                <Description one={one} tray={tray} />
                <button type="button" aria-label={t("removeFile", { name: one.name })} onClick={() => remove(one)}>
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ul>
        </>
      );
  });
}

/** Refused files come first, because the visitor must see why they cannot be sent without scrolling the tray. */
const refusedFirst = (files: readonly PendingFile[]): PendingFile[] =>
  [...files].sort((a, b) => Number(!a.problem) - Number(!b.problem));

/** The picture, or an icon if the page's policy forbids pictures from memory or the file is not a picture. */
const Preview = component<Pick<PendingFile, "icon"> & { address: string | undefined }>((_: Needs<never>) => {
  const failed = signal("");
  return ({ address, icon }) =>
    address && failed.value !== address ? (
      <img
        src={address}
        alt=""
        onError={() => {
          failed.value = address;
        }}
      />
    ) : icon ? (
      draw(icon)
    ) : (
      fileIcon()
    );
});

/** Name, size and progress of a file, or its problem. */
const Description = ({ one, tray }: { one: PendingFile; tray: TrayState }) => (
  <p>
    <bdi>{one.name}</bdi>
    <small key={one.problem}>{one.problem ?? sizeName(one.size, tray.language.value.region)}</small>
    {!one.attachment && !one.problem && (
      <progress value={one.part} aria-label={tray.t("uploading", { name: one.name })} />
    )}
  </p>
);

/** The subject of a signed identity (RFC 7519, section 4.1.2). The relay checks the signature. */
function subjectOf(token: string): unknown {
  try {
    const claims = token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? "";
    return JSON.parse(atob(claims)).sub;
  } catch {
    return token;
  }
}
