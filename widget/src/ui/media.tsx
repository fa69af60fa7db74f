/** A file in a message: a picture of the relay's own is shown, anything else is offered as a link. */

import type { Media } from "@porchlight/shared/protocol";
import { Icon } from "./icons.tsx";
import { live } from "./live.ts";

export const Attached = live<{ media: Media; author: string }>(({ t, shell }) => ({ media, author }) => {
  const { type, name, width, height } = media;
  const url = new URL(media.url, shell.relay);
  // Nothing is fetched from elsewhere because a message said so.
  const shown = url.origin === new URL(shell.relay).origin && /^image\/(?!svg)/.test(type);
  const href = /^https?:$/.test(url.protocol) ? url.href : "#";
  const link = { href, target: "_blank", rel: "noopener noreferrer" };
  if (shown) {
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
        />
      </a>
    );
  }
  return (
    <a class="file" {...link}>
      <Icon name="file" />
      <span class="vh">{t("file")}</span>
      <bdi>{name}</bdi>
    </a>
  );
});
