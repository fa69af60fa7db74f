/** The conversations, newest first, and the state of the reply callback. */

import { html } from "hono/html";
import { maskUrl } from "../journal.ts";
import type { Conversation, Message } from "../messages.ts";
import type { Service } from "../service.ts";
import { avatar, isoTime, type Markup, nameOf, shortTime } from "./people.ts";

/** The most conversations in the list. The control API has all. */
const CONVERSATIONS_MAX = 200;

/** Longest piece of a message in the list; the page cuts it to one line. */
const PREVIEW_MAX = 120;

function preview(message: Message | undefined): string {
  if (message === undefined) return "";
  if (message.direction === "out") return message.origin === "human" ? `You: ${message.body}` : `Bot: ${message.body}`;
  return message.messageType === "reaction" ? `Reacted ${message.body}` : message.body;
}

function entry(service: Service, conversation: Conversation, current: boolean, now: number): Markup {
  const { fromId, unread, messages } = conversation;
  const last = messages.at(-1);
  const name = nameOf(service, conversation);
  const failed = last?.direction === "out" && last.status === "Failed";
  return html`<li>
    <a class="entry" href="/?to=${encodeURIComponent(fromId)}" data-to="${fromId}" ${current ? html`aria-current="true"` : ""}>
      ${avatar(name, fromId)}
      <span class="entry-name">${name}</span>
      ${last === undefined ? "" : html`<time class="entry-time" datetime="${isoTime(last.at)}">${shortTime(last.at, now)}</time>`}
      <span class="entry-text${failed ? " failed" : ""}" dir="auto">${failed ? "Not delivered: " : ""}${preview(last).slice(0, PREVIEW_MAX)}</span>
      ${unread > 0 ? html`<span class="badge" aria-label="${unread} unread">${unread > 99 ? "99+" : unread}</span>` : ""}
    </a>
  </li>`;
}

/** @param current `fromId` of the selected conversation */
export function listView(service: Service, current: string | undefined): Markup {
  const conversations = service.messages.conversations();
  const now = service.clock.now();
  if (conversations.length === 0) {
    return html`<p class="list-empty">Conversations appear here as soon as a visitor writes.</p>`;
  }
  const unread = conversations.reduce((sum, conversation) => sum + conversation.unread, 0);
  return html`<ul class="entries" data-unread="${unread}">
    ${conversations.slice(0, CONVERSATIONS_MAX).map((each) => entry(service, each, each.fromId === current, now))}
  </ul>
  ${conversations.length > CONVERSATIONS_MAX ? html`<p class="list-more">and ${conversations.length - CONVERSATIONS_MAX} older ones</p>` : ""}`;
}

/** Whether the client accepts replies: the first thing to check when nothing arrives. */
export function healthView({ config, journal }: Service): Markup {
  if (config.callbackUrl === "") {
    return html`<p class="health"><span class="dot idle"></span>Replies go nowhere yet: no callback URL is set.</p>`;
  }
  const last = journal.callbacks.list().at(-1);
  const state = last === undefined ? "idle" : last.ok ? "good" : "bad";
  const words =
    last === undefined ? "No reply was sent yet" : last.ok ? "Last reply was accepted" : `Last reply: ${last.error}`;
  return html`<p class="health" title="${words}">
    <span class="dot ${state}"></span><span class="health-words">${words}</span>
    <span class="health-url">${maskUrl(config.callbackUrl)}</span>
  </p>`;
}
