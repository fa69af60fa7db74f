/** A file in a message: a picture of the relay's own is shown, anything else is offered as a link. */

import type { Media } from "@porchlight/shared/protocol";
import { signal } from "@preact/signals-core";
import { Icon } from "./icons.tsx";
import { live } from "./live.ts";

/** A picture that did not come: forbidden by the page's policy, which leaves it a link, or gone. */
type Lost = { url: string; gone?: boolean };

export const Attached = live<{ media: Media; author: string }>(({ t, shell }) => {
  const lost = signal<Lost | undefined>(undefined);
  const look = async (url: string, href: string): Promise<void> => {
    lost.value = { url };
    // The relay lets its refusals be read by everybody, not what it serves.
    const { status } = await fetch(href, { method: "HEAD" }).catch(() => ({ status: 0 }));
    if (status === 404 || status === 410) lost.value = { url, gone: true };
  };
  return ({ media, author }) => {
    const { type, name, width, height } = media;
    const url = new URL(media.url, shell.relay);
    const missing = lost.value?.url === media.url ? lost.value : undefined;
    // Nothing is fetched from elsewhere because a message said so.
    const shown = url.origin === new URL(shell.relay).origin && /^image\/(?!svg)/.test(type);
    const href = /^https?:$/.test(url.protocol) ? url.href : "#";
    const link = missing?.gone ? {} : { href, target: "_blank", rel: "noopener noreferrer" };
    if (shown && !missing) {
      return (
        <a class="picture" {...link}>
          <img
            src={href}
            alt={t("picture", { author })}
            width={width}
            height={height}
            loading="lazy"
            decoding="async"
            referrerpolicy="no-referrer"
            onError={() => void look(media.url, href)}
          />
        </a>
      );
    }
    return (
      <a class="file" {...link}>
        <Icon name="file" />
        <span class="vh">{t("file")}</span>
        <span>
          <bdi>{name}</bdi>
          {missing?.gone && <small>{t("gone")}</small>}
        </span>
      </a>
    );
  };
});
