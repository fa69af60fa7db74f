/** The inbox's whole page: the list of conversations, one thread, and the contact's details. */

import { html } from "hono/html";
import type { Conversation } from "../messages.ts";
import type { Service } from "../service.ts";
import { ICONS } from "./icons.ts";
import { healthView, listView } from "./list.ts";
import { type Markup, nameOf } from "./people.ts";
import { detailsView, threadView } from "./thread.ts";

const MARK = html`<span class="mark">SANDBOX</span>`;

function composer({ fromId }: Conversation, name: string): Markup {
  return html`<form class="composer" method="post" action="/inbox/reply">
    <input type="hidden" name="to" value="${fromId}">
    <div class="field">
      <textarea name="body" rows="1" aria-label="Reply" placeholder="Reply to ${name}" required autocomplete="off"></textarea>
      <button class="send" aria-label="Send reply">${ICONS.send}</button>
    </div>
    <p class="hint"><kbd>Enter</kbd> sends · <kbd>Shift Enter</kbd> starts a new line</p>
  </form>
  <form id="resend" method="post" action="/inbox/resend" hidden><input type="hidden" name="to" value="${fromId}"></form>`;
}

/** The middle of the page while no conversation is selected. */
function welcome(service: Service): Markup {
  const waiting = service.messages.conversations().length === 0;
  return html`<div class="welcome">
    <span class="welcome-icon">${ICONS.chat}</span>
    <h2>${waiting ? "Nobody has written yet" : "Pick a conversation"}</h2>
    <p>
      ${
        waiting
          ? "Open the chat on the demo page and send a message. It appears here, and whatever you type comes back to the visitor."
          : "You answer as the human; the AI bot keeps answering too until you switch it off."
      }
    </p>
  </div>`;
}

function main(service: Service, conversation: Conversation | undefined): Markup {
  if (conversation === undefined) return html`<main class="thread" data-to="">${welcome(service)}</main>`;
  return html`<main class="thread" data-to="${conversation.fromId}">
    <div class="thread-view">${threadView(service, conversation)}</div>
    <button class="newer" type="button" hidden>New messages</button>
    ${composer(conversation, nameOf(service, conversation))}
  </main>
  <aside class="details" aria-label="Contact">${detailsView(service, conversation)}</aside>`;
}

/** @param conversation the selected one */
export function page(service: Service, conversation: Conversation | undefined): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
  <meta name="color-scheme" content="light dark">
  <title>Inbox · Sandbox</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/inbox/frame.css">
  <link rel="stylesheet" href="/inbox/list.css">
  <link rel="stylesheet" href="/inbox/thread.css">
  <link rel="stylesheet" href="/inbox/composer.css">
  <script src="/inbox/inbox.js" type="module"></script>
</head>
<body class="${conversation === undefined ? "" : "chatting"}">
  <nav class="list" aria-label="Conversations">
    <header class="list-head">
      ${conversation === undefined ? html`<h1>Inbox</h1>` : html`<h2>Inbox</h2>`}${MARK}
      <p>A sandbox in place of the messaging service. You answer as the human.</p>
    </header>
    <div class="list-view">${listView(service, conversation?.fromId)}</div>
    <footer class="list-foot">${healthView(service)}</footer>
  </nav>
  ${main(service, conversation)}
</body>
</html>`;
}
