/** Draws replies and the buttons that act on them. Fetched with the first reply. */

import { signal } from "@preact/signals-core";
import type { ComponentChildren, VNode } from "preact";
import type { Item } from "../../conversation/chat.ts";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { type Inline, parsePlain, textOf } from "../../text/inline.ts";
import { labelledLink } from "../../text/links.ts";
import { type Block, type List, type ListItem, parseMarkdown, type Table } from "../../text/markdown.ts";
import { splitReplies } from "../../text/quick-replies.ts";
import { readableText } from "../../text/readable-text.ts";
import { adoptOnce } from "../base/adopt-once.ts";
import { namedAuthor } from "../base/author.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { lazyPart } from "../base/lazy-part.tsx";
import { CopyButton } from "./copy.tsx";
import type { FaceProps } from "./faces.tsx";
import { inline } from "./inline-text.tsx";
import { React, Reaction } from "./reaction.tsx";
import css from "./rich-text.css?inline";

addEnglish(rare);

export type RichTextProps = {
  text: string;
  /** Whether it may end in answers to choose from, which are drawn below the bubble. */
  isReply: boolean;
  /** Whether to draw Markdown. Otherwise only addresses become links. */
  markdown: boolean;
};
export type CopyProps = { text: string };

/** A text with the blocks and links of Markdown. Quick replies are left out, because they are buttons below the bubble. */
export const RichText = component<RichTextProps>((ui: Needs<"shell" | "settings">) => {
  adoptOnce(ui.shell.root, css);
  return ({ text, isReply, markdown }) => {
    const words = isReply ? split(ui, text).text : text;
    return markdown ? parseMarkdown(words).map(block) : <p>{parsePlain(words, labelledLink).map(inline)}</p>;
  };
});

/** The text of a reply and its answers. Where the site offers none, the whole reply is text. */
const split = ({ settings }: Needs<"settings">, text: string): ReturnType<typeof splitReplies> =>
  settings.value.replyConventions ? splitReplies(text) : { text, answers: [] };

function block(part: Block): ComponentChildren {
  switch (part.kind) {
    case "paragraph":
      return <p>{part.children.map(inline)}</p>;
    case "code":
      return <Code text={part.text} />;
    case "quote":
      return <blockquote>{part.blocks.map(block)}</blockquote>;
    case "card":
      return <Card blocks={part.blocks} />;
    case "rule":
      return <hr />;
    case "table":
      return table(part);
    case "list":
      return list(part);
  }
}

const list = ({ ordered, start, items }: List): VNode =>
  ordered ? <ol start={start}>{items.map(item)}</ol> : <ul>{items.map(item)}</ul>;

const item = ({ done, blocks }: ListItem): VNode =>
  done === undefined ? (
    <li>{blocks.map(block)}</li>
  ) : (
    <li class="task">
      {/* A check mark as text: it is read aloud and copied as one. Without U+FE0E some systems draw an emoji. */}
      <span>{done ? "\u2611\ufe0e " : "\u2610\ufe0e "}</span>
      {blocks.map(block)}
    </li>
  );

/**
 * A table in a box that scrolls sideways. The box can be focused, so that the keyboard can scroll it, and is named by the
 * table's headings.
 */
const table = ({ align, head, rows }: Table): VNode => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1)
  <div class="scroll" tabIndex={0} role="group" aria-label={head.map(textOf).join(", ")}>
    <table>
      <thead>
        <tr>
          {head.map((cell, n) => (
            <th scope="col" class={align[n]}>
              {cell.map(inline)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map((cell, n) => (
              <td class={align[n]}>{cell.map(inline)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Code = ({ text }: CopyProps): VNode => (
  <div class="code" dir="ltr">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
    <pre tabIndex={0}>{text}</pre>
    <CopyButton text={text} />
  </div>
);

/**
 * A title, a text, links as buttons, and pictures that were uploaded to the relay. Any other picture stays a link: a message
 * must not make the browser fetch from another host, or another page of the relay. A quote where the site shows no cards.
 *
 * Texts and buttons share one edge, whatever language each text has: that of an interface from right to left, otherwise that of
 * the reply (Apple, Human Interface Guidelines, Right to left: short texts are aligned with the interface).
 */
const Card = component<{ blocks: Block[] }>(
  ({ shell, settings, language }: Needs<"shell" | "settings" | "language">) => {
    const { origin } = new URL(shell.relay);
    const picture = (node: Inline): ComponentChildren =>
      node.kind === "link" && node.picture && node.href.startsWith(`${origin}/media/`) ? (
        <img src={node.href} alt={textOf(node.children)} loading="lazy" decoding="async" referrerpolicy="no-referrer" />
      ) : (
        inline(node)
      );
    const cardPart = (part: Block): ComponentChildren => {
      if (part.kind !== "paragraph") return block(part);
      const first = actionsIn(part.children);
      const [text, actions] = [part.children.slice(0, first), part.children.slice(first)];
      return [
        text[0] && <p>{text.map(picture)}</p>,
        actions[0] && <p class="actions">{actions.filter(({ kind }) => kind === "link").map(inline)}</p>,
      ];
    };
    return ({ blocks }) =>
      settings.value.replyConventions ? (
        <div class="card" dir={language.value.dir === "rtl" ? "rtl" : undefined}>
          {blocks.map(cardPart)}
        </div>
      ) : (
        block({ kind: "quote", blocks })
      );
  },
);

/** Index of the first node of the last line, if that line has links and nothing else; otherwise the number of nodes. */
function actionsIn(nodes: readonly Inline[]): number {
  const isGap = (node: Inline): boolean => node.kind === "text" && /^[ \t]*$/.test(node.text);
  const isAction = (node: Inline): boolean => node.kind === "link" && !node.picture;
  const before = nodes.findLastIndex((node) => !isAction(node) && !isGap(node));
  const last = nodes[before];
  const endsLine = !last || (last.kind === "text" && /\n[ \t]*$/.test(last.text));
  return endsLine && nodes.slice(before + 1).some(isAction) ? before + 1 : nodes.length;
}

export type BelowProps = { item: Item };

/** Below a reply: the visitor's reaction, and answers to choose from while the reply is the newest message. */
export const BelowReply = component<BelowProps>((ui: Needs<"chat" | "shell" | "settings"> & AnswersNeeds) => {
  adoptOnce(ui.shell.root, css);
  return ({ item }) => [
    item.reaction && <Reaction key="reaction" id={item.id} emoji={item.reaction} />,
    ui.chat.items.value.at(-1)?.id === item.id && answers(ui, split(ui, item.text).answers),
  ];
});

type AnswersNeeds = Needs<"t" | "send" | "focusComposer">;

const answers = ({ t, send, focusComposer }: AnswersNeeds, all: readonly string[]): ComponentChildren =>
  all[0] && (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div key="answers" class="suggestions answers" role="group" aria-label={t("quickReplies")}>
      {all.map((answer) => (
        <button
          key={answer}
          type="button"
          dir="auto"
          onClick={() => {
            send(answer);
            focusComposer();
          }}
        >
          {answer}
        </button>
      ))}
    </div>
  );

export { readableText };

const Face = lazyPart<FaceProps>(
  async () => (await import("./faces.tsx")).Face,
  () => false,
);

/** `text`: the reply's. */
export type ToolsProps = { item: Item; text: string; newest: boolean };

/**
 * Beside the bubble of a reply: the face of its author, a reaction button on the newest reply, and a copy button. The
 * copy button appears when the visitor points at the reply or moves the focus into it: one for each reply would add
 * many stops of the Tab key.
 */
export const ReplyTools = component<ToolsProps>((ui: Needs<"settings">, mounted) => {
  const isNear = signal(false);
  let box: HTMLElement | null = null;
  const showCopy = (): void => {
    isNear.value = true;
  };
  mounted(() => {
    const row = box?.closest("li");
    if (row?.matches(":hover, :focus-within")) showCopy();
    row?.addEventListener("mouseenter", showCopy);
    row?.addEventListener("focusin", showCopy);
  });
  return ({ item, text, newest }) => {
    const author = namedAuthor(ui, item);
    return (
      <div
        ref={(node) => {
          box = node;
        }}
        class="tools"
      >
        {author && <Face author={author} />}
        {newest && !item.reaction && <React id={item.id} />}
        {isNear.value && text && ui.settings.value.markdown && <CopyButton text={readableText(text)} />}
      </div>
    );
  };
});
