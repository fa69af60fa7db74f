/**
 * Choices that a site can offer: questions and topics while the thread is empty, and a person instead of the AI. A choice is
 * sent as the visitor's message; a topic and a person add the name of the route that decides who answers. Fetched if the site
 * sets any of them.
 */

import type { ComponentChildren, VNode } from "preact";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { draw } from "../base/icons.tsx";
import { adopt } from "../base/style.ts";
import css from "./choices.css?inline";

addEnglish(rare);

/** Path of the icon: head and shoulders. */
const PERSON = "M12 11.5a3.75 3.75 0 1 0 0-7.5 3.75 3.75 0 0 0 0 7.5ZM4.5 20a7.5 7.5 0 0 1 15 0";

/** Most suggested questions shown. */
const QUESTIONS_MAX = 4;

/** A topic of the settings: what is shown and sent, and the name of its route, if it has one. */
function topicOf(topic: string): { label: string; name: string } {
  const at = topic.lastIndexOf("=");
  return at < 0
    ? { label: topic.trim(), name: "" }
    : { label: topic.slice(0, at).trim(), name: topic.slice(at + 1).trim() };
}

type ChoicesNeeds = Needs<"t" | "settings" | "chat" | "focusComposer" | "shell">;

/** The buttons that apply now: all of them in an empty thread, only that for a person after a reply. */
export const Choices = component(({ t, settings, chat, focusComposer, shell }: ChoicesNeeds, mounted) => {
  mounted(() => adopt(shell.root, css));
  const choose = (label: string, name: string) => () => {
    chat.start();
    chat.send(label, undefined, name ? { campaign: name, chosen: true } : {});
    focusComposer();
  };
  return () => {
    const { topics, askPerson, responder, suggestions } = settings.value;
    const questions = suggestions.slice(0, QUESTIONS_MAX);
    const newest = chat.items.value.at(-1);
    const person = t("askPerson");
    const mayAsk = askPerson && responder !== "human" && (!newest || newest.from === "reply");
    const personButton = mayAsk && (
      <button type="button" class="person" onClick={choose(person, askPerson)}>
        {draw(PERSON)}
        {person}
      </button>
    );
    if (newest) return personButton && <div class="suggestions">{personButton}</div>;
    return [
      questions[0] &&
        group(
          t("suggestions"),
          questions.map((question) => (
            <button key={question} type="button" dir="auto" onClick={choose(question, "")}>
              {question}
            </button>
          )),
        ),
      (topics[0] || mayAsk) &&
        group(t("topics"), [
          topics[0] && (
            <div class="topics">
              {topics.map(topicOf).map(({ label, name }) => (
                <button key={label} type="button" dir="auto" onClick={choose(label, name)}>
                  {label}
                </button>
              ))}
            </div>
          ),
          personButton,
        ]),
    ];
  };
});

const group = (label: string, children: ComponentChildren): VNode => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
  <div class="suggestions" role="group" aria-label={label}>
    {children}
  </div>
);
