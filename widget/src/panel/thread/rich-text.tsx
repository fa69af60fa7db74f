/** Draws messages that have more than plain paragraphs, and copies replies. Fetched with the first such message or copy. */

import type { ComponentChildren, VNode } from "preact";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { parsePlain } from "../../text/inline.ts";
import { labelledLink } from "../../text/links.ts";
import { type Block, type List, type ListItem, parseMarkdown, type Table } from "../../text/markdown.ts";
import { readableText } from "../../text/readable-text.ts";
import { live } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { adoptOnce } from "../base/style.ts";
import { CopyButton } from "./copy.tsx";
import { inline } from "./inline-text.tsx";
import css from "./rich-text.css?inline";

addEnglish(rare);

/** `isReply`: Markdown counts. Otherwise only addresses do, as in what the visitor wrote. */
export type RichTextProps = { text: string; isReply: boolean };
export type CopyProps = { text: string };

export const RichText = live<RichTextProps>(({ shell }: Needs<"shell">) => {
  adoptOnce(shell.root, css);
  return ({ text, isReply }) =>
    isReply ? parseMarkdown(text).map(block) : <p>{parsePlain(text, labelledLink).map(inline)}</p>;
});

function block(part: Block): ComponentChildren {
  switch (part.kind) {
    case "paragraph":
      return <p>{part.children.map(inline)}</p>;
    case "code":
      return <Code text={part.text} />;
    case "quote":
      return <blockquote>{part.blocks.map(block)}</blockquote>;
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

/** Scrolls sideways where it is wider than the bubble, so it can be focused. */
const table = ({ align, head, rows }: Table): VNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1)
  <div class="scroll" tabIndex={0}>
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

export { readableText };

/** The button that copies a whole reply, beside the bubble. */
export const CopyReply = ({ text }: CopyProps): VNode => <CopyButton text={readableText(text)} />;
