/** One message: a bubble, its author for screen readers, and below the visitor's own messages their state. */

import { signal } from "@preact/signals-core";
import type { ComponentChildren, ComponentType } from "preact";
import type { Item } from "../../conversation/chat.ts";
import { authorOf, wordsOf } from "../base/author.ts";
import { live } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isRefused } from "../base/conversation-state.ts";
import { into } from "../base/late-parts.ts";
import type { AttachedProps } from "../files/attachment.tsx";
import type { FailureProps } from "./failure.tsx";
import { isEmojiOnly, MessageText } from "./message-text.tsx";
import { React, Reaction } from "./reaction.tsx";
import { clockTime } from "./rows.ts";

export type MessageProps = {
  item: Item;
  /** Place within its group. */
  first: boolean;
  last: boolean;
  /** Whether it is its author's newest: only that one shows its state, or can get a reaction. */
  newest: boolean;
};
type MessageNeeds = Needs<"t" | "language" | "settings" | "chat">;

export const Message = live<MessageProps>((ui: MessageNeeds) => ({ item, first, last, newest }) => {
  const { t, language } = ui;
  const { from, state, at, media } = item;
  const text = wordsOf(ui, item);
  const own = from === "visitor";
  const time = clockTime(at, language.value.region);
  const author = own ? t("you") : authorOf(ui);
  const failed = state === "failed";
  return (
    <li
      class={`msg ${own ? "own" : "reply"}${first ? " first" : ""}${last ? " last" : ""}${failed ? " bad" : ""}`}
      data-row={item.pos ?? ""}
    >
      {first && !own && (
        <p class="author" aria-hidden="true">
          {author}
        </p>
      )}
      <p class="vh">{`${author}, ${time}`}</p>
      <div class="line">
        <div class={`bubble${isEmojiOnly(text) && !media ? " big" : ""}${media ? " with" : ""}`} dir="auto">
          {media && <Attached media={media} author={author} />}
          {text && <MessageText text={text} markdown={!own} />}
        </div>
        {!own && newest && !item.reaction && <React id={item.id} />}
      </div>
      {item.reaction && <Reaction id={item.id} emoji={item.reaction} />}
      {failed && <Failed item={item} />}
      {!failed && (last || (own && newest)) && (
        <p class="meta">
          <time dateTime={new Date(at).toISOString()} aria-hidden="true" translate={false}>
            {time}
          </time>
          {own && newest && state !== "received" && (
            <span class="state" key={state + isRefused(ui)}>
              {t(isRefused(ui) ? "failed" : state)}
            </span>
          )}
        </p>
      )}
    </li>
  );
});

/** A part that most messages do not have, fetched when one has it, and its placeholder until then. */
const rarely = <Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
  stead: (ui: Needs<"t">, props: Props) => ComponentChildren,
) =>
  live<Props>((ui: Needs<"t" | "part">, mounted) => {
    const code = signal<ComponentType<Props> | undefined>(undefined);
    mounted(() => void ui.part(fetch, into(code)));
    return (props) => {
      const Part = code.value;
      return Part ? <Part {...props} /> : stead(ui, props);
    };
  });

/** Why it failed, and what the visitor can do. */
const Failed = rarely<FailureProps>(
  async () => (await import("./failure.tsx")).Failure,
  ({ t }) => <p class="meta">{t("failed")}</p>,
);

const Attached = rarely<AttachedProps>(
  async () => (await import("../files/file-tray.tsx")).Attached,
  (_, { media }) => <bdi class="file">{media.name}</bdi>,
);
