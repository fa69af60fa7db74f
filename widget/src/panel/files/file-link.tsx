/** A file that is shown as a link. Loaded with the tray. */

import { signal } from "@preact/signals-core";
import type { VNode } from "preact";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { draw } from "../base/icons.tsx";

addEnglish(rare);

/** The icon of a document. */
export const fileIcon = (): VNode =>
  draw("M13.5 3.5H7a1 1 0 0 0-1 1v15a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V8l-4.5-4.5Zm0 0V8H18", "i-file");

/** @property lost whether the file should be shown as a picture or player, but could not be loaded */
export type FileProps = { href: string; name: string; lost: boolean };

/** The link in a new tab. If the relay no longer has the file, its name with a note that it is gone. */
export const FileLink = component<FileProps>(({ t }: Needs<"t">, mounted, { href: address, lost }) => {
  const gone = signal(false);
  const checkAddress = async (): Promise<void> => {
    // CORS allows every page to read the relay's refusals, but not the files.
    const { status } = await fetch(address, { method: "HEAD" }).catch(() => ({ status: 0 }));
    gone.value = status === 404 || status === 410;
  };
  if (lost) mounted(() => void checkAddress());
  return ({ href, name }) => (
    <a class="file" {...(gone.value ? {} : { href, target: "_blank", rel: "noopener noreferrer" })}>
      {fileIcon()}
      <span class="vh">{t("file")}</span>
      <span>
        <bdi>{name}</bdi>
        {gone.value && <small>{t("gone")}</small>}
      </span>
    </a>
  );
});
