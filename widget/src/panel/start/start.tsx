/**
 * The start screen: help articles with a search field, suggestions, and a button to the conversation. It covers the thread
 * until the visitor opens the conversation, once per page. Fetched if the site switches it on.
 */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import type { Shell } from "../../loader/contract.ts";
import { rareSettings } from "../../settings/rare-options.ts";
import { createExtraWords, type ExtraTranslate } from "../../text/extra-words.ts";
import { plainText } from "../../text/plain-text.ts";
import { wordsOf } from "../base/author.ts";
import { component, type Mounted, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { greetingWords } from "../base/greeting-words.ts";
import { draw, Icon } from "../base/icons.tsx";
import { into } from "../base/late-parts.ts";
import { adopt } from "../base/style.ts";
import type { RichTextProps } from "../thread/rich-text.tsx";
import { type Article, fetchArticles, search } from "./articles.ts";
import css from "./start.css?inline";

const FORWARD = "m9.5 6 6 6-6 6";
/** Most suggestions shown, as in the empty thread. */
const SUGGESTIONS_MAX = 4;
/** Most characters of the newest message below the button to the conversation: more than fit into its line. */
const NEWEST_MAX = 120;

type StartNeeds = Needs<
  "t" | "settings" | "language" | "chat" | "consent" | "send" | "shell" | "isOpen" | "part" | "focusComposer"
>;

type State = {
  ui: StartNeeds;
  t: ExtraTranslate;
  articles: readonly Article[];
  /** Whether the screen is shown instead of the thread. */
  isShown: Signal<boolean>;
  query: Signal<string>;
  /** The opened article. */
  reading: Signal<Article | undefined>;
  /** The beginning of the newest message, as plain text. */
  newest: ReadonlySignal<string>;
  /** Renders Markdown, once its code has loaded. */
  Rich: ComponentType<RichTextProps> | undefined;
};

/** Address of the articles: the owner's, or the relay's list for the site. */
const addressOf = (ui: Pick<StartNeeds, "settings" | "shell">): string =>
  rareSettings(ui).articles || `${ui.shell.relay}/help/${encodeURIComponent(ui.settings.peek().site)}.json`;

/** Shows the thread, and focuses the text field if the device has a keyboard. */
function goToChat({ isShown, ui }: Pick<State, "isShown" | "ui">): void {
  isShown.value = false;
  if (matchMedia("(pointer:fine)").matches) setTimeout(ui.focusComposer);
}

/** The screen, or the button that leads back to it while the thread is shown. Empty until its texts have loaded. */
export const Start = component((ui: StartNeeds, mounted) => {
  const { chat, shell, isOpen, part } = ui;
  const { follow, words } = createExtraWords(ui, signal(undefined));
  const articles = signal<readonly Article[]>([]);
  // Visitors with unread replies want the conversation. So do visitors whose chat opened by itself, as on the previous page.
  const isShown = signal(!chat.unread.peek() && !(isOpen.peek() && navigator.userActivation?.hasBeenActive === false));
  const [query, reading] = [signal(""), signal<Article | undefined>(undefined)];
  const unsentCount = (): number =>
    chat.items.value.filter(({ from, n }) => from === "visitor" && n === undefined).length;
  mounted(() => adopt(shell.root, css));
  mounted(watch(follow));
  const newest = followNewest(ui, mounted);
  const rich = signal<{ RichText: ComponentType<RichTextProps> } | undefined>(undefined);
  mounted(watch(() => reading.value && !rich.peek() && part(() => import("../thread/rich-text.tsx"), into(rich))));
  mounted(
    () =>
      void fetchArticles(addressOf(ui)).then((found) => {
        articles.value = found;
      }),
  );
  // Show the thread for a message of this visitor, also one that the page sends, and for a new reply.
  mounted(
    watch(() => {
      if (unsentCount() > 0 || chat.unread.value > 0) isShown.value = false;
    }),
  );
  return () => {
    const t = words();
    if (!t || !rareSettings(ui).startScreen || chat.ending.value === "notAllowed") return null;
    const Rich = rich.value?.RichText;
    const state: State = { ui, t, articles: articles.value, isShown, query, reading, newest, Rich };
    if (!isShown.value) return articles.value[0] ? backButton(state) : null;
    return (
      <section class="start" ref={() => leaveField(shell)}>
        {reading.value ? article(state, reading.value) : overview(state)}
      </section>
    );
  };
});

/** Moves the focus away from the text field, because the start screen hides it. */
function leaveField({ root }: Pick<Shell, "root">): void {
  if (root.activeElement?.id === "message") root.querySelector<HTMLElement>("#title")?.focus();
}

/** The button above the thread that leads back to the articles. */
const backButton = ({ t, isShown }: State) => (
  <button
    type="button"
    class="to-start"
    onClick={() => {
      isShown.value = true;
    }}
  >
    {draw(FORWARD, "i-back")}
    {t("helpTitle")}
  </button>
);

const overview = (state: State) => {
  const { ui, t, articles, newest } = state;
  const { suggestions } = ui.settings.value;
  const hasConversation = ui.chat.items.value.length > 0;
  return (
    <>
      <p class="hello">
        <bdi>{greetingWords(ui)}</bdi>
      </p>
      <button type="button" class="go" onClick={() => goToChat(state)}>
        <span>
          <strong>{t(hasConversation ? "helpContinue" : "helpStart")}</strong>
          {newest.value && <small dir="auto">{newest.value}</small>}
        </span>
        {draw(FORWARD, "i-forward")}
      </button>
      {articles[0] && help(state)}
      {!hasConversation && ui.consent.value && suggestions[0] && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
        <div class="suggestions" role="group" aria-label={ui.t("suggestions")}>
          {suggestions.slice(0, SUGGESTIONS_MAX).map((text) => (
            <button type="button" key={text} dir="auto" onClick={() => ui.send(text) && goToChat(state)}>
              {text}
            </button>
          ))}
        </div>
      )}
    </>
  );
};

/** The beginning of the newest message, or the name of its file. A reply is shown without Markdown. */
function followNewest(ui: StartNeeds, mounted: Mounted): ReadonlySignal<string> {
  const shown = signal("");
  mounted(
    watch(() => {
      const newest = ui.chat.items.value.at(-1);
      const words = (newest && wordsOf(ui, newest)) || newest?.media?.name || "";
      let isCurrent = true;
      const show = (text: string): void => {
        if (isCurrent) shown.value = text.slice(0, NEWEST_MAX);
      };
      if (newest?.from === "reply") void plainText(words).then(show);
      else show(words);
      return () => {
        isCurrent = false;
      };
    }),
  );
  return shown;
}

/** The search field and the list. */
const help = ({ t, articles, query, reading }: State) => {
  const found = search(articles, query.value);
  return (
    <>
      <h3 id="help">{t("helpTitle")}</h3>
      <div class="search">
        <Icon name="search" />
        <input
          type="search"
          aria-label={t("helpSearch")}
          placeholder={t("helpSearch")}
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
          }}
        />
      </div>
      <p class="vh" role="status">
        {query.value && !found[0] ? t("helpNone") : ""}
      </p>
      {found[0] ? (
        <ul class="articles" aria-labelledby="help">
          {found.map((one) => (
            <li key={articles.indexOf(one)}>{entry(one, reading)}</li>
          ))}
        </ul>
      ) : (
        <p class="none" aria-hidden="true">
          {t("helpNone")}
        </p>
      )}
    </>
  );
};

/** An article with a text is read here; one without is a link. */
const entry = (one: Article, reading: State["reading"]) =>
  one.text ? (
    <button
      type="button"
      onClick={() => {
        reading.value = one;
      }}
    >
      <span>
        <bdi>{one.title}</bdi>
      </span>
      {draw(FORWARD, "i-forward")}
    </button>
  ) : (
    <a href={one.url} target="_blank" rel="noopener noreferrer" aria-describedby="tab">
      <span>
        <bdi>{one.title}</bdi>
      </span>
      {draw("M8.5 15.5 16 8m-6 0h6v6", "i-out")}
    </a>
  );

const article = ({ ui, t, reading, isShown, Rich }: State, { title, text, url }: Article) => (
  <>
    <button
      type="button"
      class="to-start"
      onClick={() => {
        reading.value = undefined;
      }}
    >
      {draw(FORWARD, "i-back")}
      {t("back")}
    </button>
    <article>
      <h3 tabIndex={-1} ref={(node) => node?.focus()}>
        <bdi>{title}</bdi>
      </h3>
      {Rich ? <Rich text={text} isReply={false} markdown /> : <p>{text}</p>}
      {url && (
        <p>
          <a href={url} target="_blank" rel="noopener noreferrer" aria-describedby="tab">
            {t("helpOpen")}
          </a>
        </p>
      )}
    </article>
    <button type="button" class="go" onClick={() => goToChat({ ui, isShown })}>
      <strong>{t(ui.chat.items.value.length > 0 ? "helpContinue" : "helpStart")}</strong>
      {draw(FORWARD, "i-forward")}
    </button>
  </>
);
