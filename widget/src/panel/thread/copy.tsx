/** A button that copies a text. */

import { signal } from "@preact/signals-core";
import { pageDocument } from "../../loader/document.ts";
import { element } from "../../loader/dom.ts";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { adoptOnce } from "../base/adopt-once.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { draw } from "../base/icons.tsx";
import css from "./copy.css?inline";

addEnglish(rare);

const SHEETS = "M9 9h9.5v10.5H9zM5.5 15V4.5H15";
const CHECK = "m5.5 12.5 4.5 4.5 8.5-9.5";
/** Milliseconds for which the button shows a check mark after copying. */
const DONE_MS = 2_000;

/** Copies a text. Pages without HTTPS have no clipboard API: copy from a selected text field instead. */
async function copyText(text: string, root: ParentNode): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = element("textarea", { class: "vh", readonly: "" });
    field.value = text;
    root.append(field);
    field.select();
    const isCopied = pageDocument.execCommand("copy");
    field.remove();
    return isCopied;
  }
}

/** The button. It shows a check mark for two seconds after copying, and announces it. */
export const CopyButton = component<{ text: string }>(
  ({ t, shell, announcer }: Needs<"t" | "shell" | "announcer">, mounted) => {
    adoptOnce(shell.root, css);
    const done = signal(false);
    let timer: ReturnType<typeof setTimeout> | undefined;
    mounted(() => () => clearTimeout(timer));
    return ({ text }) => (
      <button
        type="button"
        class="copy"
        aria-label={t("copy")}
        onClick={async ({ currentTarget }) => {
          if (!(await copyText(text, shell.dialog))) return;
          // The fallback moves the focus.
          currentTarget.focus();
          announcer.status(t("copied"));
          done.value = true;
          clearTimeout(timer);
          timer = setTimeout(() => {
            done.value = false;
          }, DONE_MS);
        }}
      >
        {draw(done.value ? CHECK : SHEETS)}
      </button>
    );
  },
);
