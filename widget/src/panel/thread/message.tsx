/** One message: a bubble, its author for screen readers, and below the visitor's own messages their state. */

import { signal } from "@preact/signals-core";
import type { ComponentChildren } from "preact";
import type { Item } from "../../conversation/chat.ts";
import { authorOf, wordsOf } from "../base/author.ts";
import { live } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isRefused } from "../base/conversation-state.ts";
import { rarely } from "../base/rarely.tsx";
import type { AttachedProps } from "../files/attachment.tsx";
import type { FailureProps } from "./failure.tsx";
import { isEmojiOnly, MessageText } from "./message-text.tsx";
import type { ReactionProps } from "./palette.tsx";
import { React } from "./reaction.tsx";
import type { AnswersProps, CopyProps } from "./rich-text.tsx";
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

export const Message = live<MessageProps>((ui: MessageNeeds) => {
  /** Whether the visitor has pointed at the message, touched it, or moved the focus into it. */
  const isNear = signal(false);
  const onNear = (): void => {
    isNear.value = true;
  };
  return (props) => {
    const { item, first, last } = props;
    const own = item.from === "visitor";
    const failed = item.state === "failed";
    return (
      <li
        class={`msg ${own ? "own" : "reply"}${first ? " first" : ""}${last ? " last" : ""}${failed ? " bad" : ""}`}
        data-row={item.pos ?? ""}
        {...(!own && { onMouseEnter: onNear, onFocusCapture: onNear })}
      >
        {author(ui, props)}
        {line(ui, props, isNear.value)}
        {item.reaction && <Reaction id={item.id} emoji={item.reaction} />}
        {failed ? <Failed item={item} /> : meta(ui, props)}
        {!own && item.text.includes("( ) ") && <Answers id={item.id} text={item.text} />}
      </li>
    );
  };
});

const timeOf = ({ language }: Needs<"language">, { at }: Item): string => clockTime(at, language.value.region);
const nameOf = (ui: Needs<"t" | "settings">, { from }: Item): string =>
  from === "visitor" ? ui.t("you") : authorOf(ui);

/** Who wrote it: for all above the first of a group, for screen readers above each. */
const author = (ui: MessageNeeds, { item, first }: MessageProps): ComponentChildren => [
  first && item.from === "reply" && (
    <p class="author" aria-hidden="true">
      {nameOf(ui, item)}
    </p>
  ),
  <p class="vh">{`${nameOf(ui, item)}, ${timeOf(ui, item)}`}</p>,
];

/** The bubble, with what can be done with a reply. */
function line(ui: MessageNeeds, { item, newest }: MessageProps, isNear: boolean): ComponentChildren {
  const { media } = item;
  const text = wordsOf(ui, item);
  const isReply = item.from === "reply";
  return (
    <div class="line">
      <div class={`bubble${isEmojiOnly(text) && !media ? " big" : ""}${media ? " with" : ""}`} dir="auto">
        {media && <Attached media={media} author={nameOf(ui, item)} />}
        {text && <MessageText text={text} isReply={isReply} />}
      </div>
      {isReply && newest && !item.reaction && <React id={item.id} />}
      {isReply && isNear && text && <CopyReply text={text} />}
    </div>
  );
}

/** The time, and how far the visitor's newest message has got. */
function meta(ui: MessageNeeds, { item, last, newest }: MessageProps): ComponentChildren {
  const { from, state, at } = item;
  const isNewest = from === "visitor" && newest;
  return (
    (last || isNewest) && (
      <p class="meta">
        <time dateTime={new Date(at).toISOString()} aria-hidden="true" translate={false}>
          {timeOf(ui, item)}
        </time>
        {isNewest && state !== "received" && (
          <span class="state" key={state + isRefused(ui)}>
            {ui.t(isRefused(ui) ? "failed" : state)}
          </span>
        )}
      </p>
    )
  );
}

/** The emoji alone until the button has come that takes it back. */
const Reaction = rarely<ReactionProps>(
  async () => (await import("./palette.tsx")).Reaction,
  (_, { emoji }) => emoji,
);

const Answers = rarely<AnswersProps>(
  async () => (await import("./rich-text.tsx")).Answers,
  () => false,
);

const CopyReply = rarely<CopyProps>(
  async () => (await import("./rich-text.tsx")).CopyReply,
  () => false,
);

/** Why it failed, and what the visitor can do. */
const Failed = rarely<FailureProps>(
  async () => (await import("./failure.tsx")).Failure,
  ({ t }) => <p class="meta">{t("failed")}</p>,
);

const Attached = rarely<AttachedProps>(
  async () => (await import("../files/file-tray.tsx")).Attached,
  (_, { media }) => <bdi class="file">{media.name}</bdi>,
);
