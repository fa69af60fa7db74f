/**
 * A file in a message: pictures, audio and video from the relay are shown, any other file is a link. Loaded with the
 * tray.
 */

import type { Media } from "@porchlight/shared/protocol";
import { signal } from "@preact/signals-core";
import type { VNode } from "preact";
import { rareSettings } from "../../settings/rare-options.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { lazyPart } from "../base/lazy-part.tsx";
import { adopt } from "../base/style.ts";
import css from "./attachment.css?inline";
import { FileLink } from "./file-link.tsx";
import type { PlayerProps } from "./player.tsx";

/** Shadow roots that already have the style sheet. */
const styled = new WeakSet<ShadowRoot>();

export type AttachedProps = { media: Media; author: string };

type AttachedNeeds = Needs<"t" | "shell" | "part" | "settings">;
/** A file from the relay, and what to call when it cannot be loaded. */
type DrawnFile = { media: Media; href: string; author: string; onError: () => void };

/** The file. It becomes a link if it cannot be loaded, or if it is on another host than the relay. */
export const Attached = component<AttachedProps>((ui: AttachedNeeds) => {
  const { shell } = ui;
  /**
   * Address of a file that could not be loaded, because the page's policy forbids it or it no longer exists. It becomes
   * a link.
   */
  const failedUrl = signal("");
  if (!styled.has(shell.root)) adopt(shell.root, css);
  styled.add(shell.root);
  return ({ media, author }) => {
    const { type, name } = media;
    const url = new URL(media.url, shell.relay);
    const missing = failedUrl.value === media.url;
    const href = /^https?:$/.test(url.protocol) ? url.href : "#";
    const onError = (): void => {
      failedUrl.value = media.url;
    };
    // A message must not make the browser fetch from another host.
    const draw = url.origin === new URL(shell.relay).origin && !missing && drawnAs(ui, type);
    return draw ? draw(ui, { media, href, author, onError }) : <FileLink href={href} name={name} lost={missing} />;
  };
});

/** How a file of this type is drawn. Undefined: as a link. */
const drawnAs = (ui: AttachedNeeds, type: string): typeof picture | undefined =>
  /^image\/(?!svg)/.test(type) ? picture : rareSettings(ui).mediaViewer ? playerOf(type) : undefined;
const playerOf = (type: string): typeof audio | undefined =>
  /^audio\//.test(type) ? audio : /^video\//.test(type) ? video : undefined;

/** Named without the extension, because the visitor hears or sees a player and not a file. */
const audio = (_: AttachedNeeds, { media, href, onError }: DrawnFile): VNode => (
  <Player src={href} name={media.name.replace(/\.\w+$/, "")} onError={onError} />
);

const Player = lazyPart<PlayerProps>(
  async () => (await import("./player.tsx")).Player,
  (_, { name }) => <bdi class="file">{name}</bdi>,
);

const video = (_: AttachedNeeds, { media, href, onError }: DrawnFile): VNode => (
  // biome-ignore lint/a11y/useMediaCaption: what a visitor or a person has recorded has no captions
  <video class="player" src={href} aria-label={media.name} controls playsInline preload="metadata" onError={onError} />
);

/** A picture that opens large on the page. With a modifier key, or without the viewer, it opens as any link does. */
function picture(ui: AttachedNeeds, { media, href, author, onError }: DrawnFile): VNode {
  const { t, shell, part } = ui;
  const { width, height } = media;
  const alt = t("picture", { author });
  const enlarge = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !rareSettings(ui).mediaViewer) return;
    event.preventDefault();
    void part(
      () => import("./lightbox.ts"),
      ({ enlarge }) => enlarge(shell.root, { src: href, alt, close: t("dismiss") }),
    );
  };
  return (
    <a class="picture" href={href} target="_blank" rel="noopener noreferrer" onClick={enlarge}>
      <img
        src={href}
        alt={alt}
        width={width}
        height={height}
        // A very wide picture is cropped at its sides; otherwise it would be only a few pixels high.
        class={Number(width) > 5 * Number(height) ? "wide" : undefined}
        loading="lazy"
        decoding="async"
        referrerpolicy="no-referrer"
        onError={onError}
      />
    </a>
  );
}
