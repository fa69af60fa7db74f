/**
 * The frame until the panel draws itself: the site's header, and below it quiet shapes where the thread and the text field will
 * be. If the panel could not be loaded: a sentence, a button that tries again, and a link to the chat's own page.
 */

import type { FrameWords, LoaderWords, Shell } from "./contract.ts";
import { element } from "./dom.ts";
import css from "./frame.css?inline";
import { launcherCross } from "./launcher-cross.ts";

/** The close button's name until the texts of the page's language have loaded. */
const CLOSE = "Close chat";
/** The link to the chat's own page in English. */
const PAGE = "Open the chat page";

const sheet = new CSSStyleSheet();

/**
 * Replaces the loader's content of the dialog: the title as text, or after a failure the sentence, the button that tries again,
 * and the link. Does nothing when the frame is closed, already drawn, or replaced by the panel.
 * @param close closes the panel
 */
export async function drawFrame(shell: Shell, close: () => void): Promise<void> {
  const { dialog, launcher, root } = shell;
  const [title, retry, link] = dialog.childNodes;
  if (!dialog.open || !(title instanceof Text)) return;
  const words = fetchFrameWords(shell);
  if (!root.adoptedStyleSheets.includes(sheet)) {
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  }
  launcherCross(launcher);
  const closeButton = element("button", { type: "button", "aria-label": CLOSE });
  closeButton.onclick = close;
  const header = headerOf(shell, closeButton);
  if (!retry) dialog.replaceChildren(header, element("i"), element("i"));
  const frameWords = await words;
  const isPending = header.isConnected;
  const hasFailed = link && retry?.parentNode === dialog;
  // The panel has loaded meanwhile, and shows its own words.
  if (!isPending && !hasFailed) return;
  closeButton.ariaLabel = frameWords.close;
  // The loader may have used another language than the page's, so set the direction and the launcher's name again.
  shell.words = frameWords;
  shell.style();
  if (!hasFailed) return;
  if (frameWords.retry) retry.textContent = frameWords.retry;
  link.textContent = frameWords.page ?? (shell.settings().label || frameWords.word);
  const sentence = element("p", { role: "alert" }, frameWords.failed ?? title.data);
  retry.addEventListener("click", () => hideUntilFailure(sentence));
  dialog.replaceChildren(header, sentence, retry, link);
}

/** Hides the sentence during another attempt. The visitor sees that Retry works, and screen readers announce the next failure. */
function hideUntilFailure({ style }: HTMLElement): void {
  style.visibility = "hidden";
  const show = (): void => void style.removeProperty("visibility");
  addEventListener("porchlight:error", show, { once: true });
}

/** Fetches the texts of the language. If that fails, returns the few that the script contains. */
async function fetchFrameWords(shell: Shell): Promise<LoaderWords & Partial<FrameWords> & { close: string }> {
  const { relay } = shell;
  const path = `${relay}/frame/words/${encodeURIComponent(languageOf(shell))}.js`;
  const module: { spoken?: FrameWords } = await import(/* @vite-ignore */ path).catch(() => ({}));
  const own = (module.spoken ?? shell.words) as LoaderWords & Partial<FrameWords>;
  const frameWords = { close: CLOSE, ...(shell.words?.file ? {} : { page: PAGE }), ...own };
  // The panel needs this file. The loader has already requested it if it knows the language.
  if (frameWords.file) import(/* @vite-ignore */ relay + frameWords.file).catch(() => {});
  return frameWords;
}

/** The site's language, else the page's, else the browser's first: a BCP 47 tag. */
function languageOf({ settings, host }: Pick<Shell, "settings" | "host">): string {
  const { locale } = settings();
  return (locale !== "auto" && locale) || host.closest("html")?.lang || navigator.language;
}

/** The site's picture, its title, and the button that closes the panel. */
function headerOf({ dialog, settings }: Shell, closeButton: HTMLElement): HTMLElement {
  const { avatar, header, title } = settings();
  // If the site has no title, use the launcher's glyph, like the panel's header.
  const letter = [...(title ?? "")][0]?.toLocaleUpperCase() ?? element("b");
  const picture = element("span", { "aria-hidden": "true" }, letter);
  if (avatar) showPicture(avatar, picture);
  const heading = element("div", {}, element("h2", {}, dialog.ariaLabel ?? ""), element("i"));
  return element("header", { class: header === "accent" ? "filled" : "" }, picture, heading, closeButton);
}

/** Replaces the letter by the picture once it is loaded. */
function showPicture(src: string, letter: HTMLElement): void {
  const picture = element("img", { src, alt: "" });
  picture.onload = () => letter.replaceWith(picture);
}
