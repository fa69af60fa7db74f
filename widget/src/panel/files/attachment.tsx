/** A file in a message: a picture of the relay's own is shown, anything else is offered as a link. Comes with the tray. */

import type { Media } from "@porchlight/shared/protocol";
import { signal } from "@preact/signals-core";
import { live } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { adopt } from "../base/style.ts";
import css from "./attachment.css?inline";
import { FileLink } from "./file-link.tsx";

/** Where the rules for files are in force: once for all of a chat. */
const dressed = new WeakSet<ShadowRoot>();

export type AttachedProps = { media: Media; author: string };

export const Attached = live<AttachedProps>(({ t, shell }: Needs<"t" | "shell">) => {
  /** Address of a picture that did not come: forbidden by the page's policy, which leaves it a link, or gone. */
  const lost = signal("");
  if (!dressed.has(shell.root)) adopt(shell.root, css);
  dressed.add(shell.root);
  return ({ media, author }) => {
    const { type, name, width, height } = media;
    const url = new URL(media.url, shell.relay);
    const missing = lost.value === media.url;
    const href = /^https?:$/.test(url.protocol) ? url.href : "#";
    // Nothing is fetched from elsewhere because a message said so.
    if (url.origin === new URL(shell.relay).origin && /^image\/(?!svg)/.test(type) && !missing) {
      return (
        <a class="picture" href={href} target="_blank" rel="noopener noreferrer">
          <img
            src={href}
            alt={t("picture", { author })}
            width={width}
            height={height}
            // A banner is cut at its sides before it becomes a line.
            class={Number(width) > 5 * Number(height) ? "wide" : undefined}
            loading="lazy"
            decoding="async"
            referrerpolicy="no-referrer"
            onError={() => {
              lost.value = media.url;
            }}
          />
        </a>
      );
    }
    return <FileLink href={href} name={name} lost={missing} />;
  };
});
