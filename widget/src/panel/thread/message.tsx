/** One message: a bubble, its author for screen readers, and below the visitor's own messages their state. */

import type { ComponentChildren } from "preact";
import type { Item } from "../../conversation/chat.ts";
import { authorOf, wordsOf } from "../base/author.ts";
import { clockTime } from "../base/clock-time.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isRefused } from "../base/conversation-state.ts";
import { lazyPart } from "../base/lazy-part.tsx";
import type { AttachedProps } from "../files/attachment.tsx";
import type { FailureProps } from "./failure.tsx";
import { EMOJI_ONLY, MessageText } from "./message-text.tsx";
import type { BelowProps, ToolsProps } from "./rich-text.tsx";

export type MessageProps = {
  item: Item;
  /** Place within its group. */
  first: boolean;
  last: boolean;
  /** Whether it is the newest message of its side. Only that one shows its state, or can get a reaction. */
  newest: boolean;
};
type MessageNeeds = Needs<"t" | "language" | "settings" | "chat">;

/** The message as an item of the thread's list. */
export const Message = component<MessageProps>((ui: MessageNeeds) => (props) => {
  const { item, first, last, newest } = props;
  const own = item.from === "visitor";
  const failed = item.state === "failed";
  return (
    <li
      class={`msg ${own ? "own" : "reply"}${first ? " first" : ""}${last ? " last" : ""}${failed ? " bad" : ""}`}
      data-row={item.pos ?? ""}
    >
      {author(ui, props)}
      {line(ui, props)}
      {!own && (newest || item.reaction) && <BelowReply item={item} />}
      {failed ? <Failed item={item} /> : meta(ui, props)}
    </li>
  );
});

const timeOf = ({ language }: Needs<"language">, { at }: Item): string => clockTime(at, language.value.region);
const nameOf = (ui: Needs<"t" | "settings">, item: Item): string =>
  item.from === "visitor" ? ui.t("you") : authorOf(ui, item);

/** The author: visible above the first message of a group, for screen readers above each message. */
const author = (ui: MessageNeeds, { item, first }: MessageProps): ComponentChildren => [
  first && item.from === "reply" && (
    <p class="author" aria-hidden="true">
      {nameOf(ui, item)}
    </p>
  ),
  <p class="vh">{`${nameOf(ui, item)}, ${timeOf(ui, item)}`}</p>,
];

/** The bubble, with the actions for a reply. */
function line(ui: MessageNeeds, { item, newest }: MessageProps): ComponentChildren {
  const { media } = item;
  const text = wordsOf(ui, item);
  const isReply = item.from === "reply";
  return (
    <div class="line">
      <div class={`bubble${EMOJI_ONLY.test(text) && !media ? " big" : ""}${media ? " with" : ""}`} dir="auto">
        {media && <Attached media={media} author={nameOf(ui, item)} />}
        {text && <MessageText text={text} isReply={isReply} markdown={isReply && ui.settings.value.markdown} />}
      </div>
      {isReply && <ReplyTools item={item} text={text} newest={newest} />}
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

/** The reaction. It is only an emoji until the code of the button that removes it has loaded. */
const BelowReply = lazyPart<BelowProps>(
  async () => (await import("./rich-text.tsx")).BelowReply,
  (_, { item }) => item.reaction,
);

const ReplyTools = lazyPart<ToolsProps>(
  async () => (await import("./rich-text.tsx")).ReplyTools,
  () => false,
);

/** Says why the message failed, and offers what the visitor can do. */
const Failed = lazyPart<FailureProps>(
  async () => (await import("./failure.tsx")).Failure,
  ({ t }) => <p class="meta">{t("failed")}</p>,
);

const Attached = lazyPart<AttachedProps>(
  async () => (await import("../files/file-tray.tsx")).Attached,
  (_, { media }) => <bdi class="file">{media.name}</bdi>,
);
