/** One conversation: contact, messages, and the state of each reply. */

import { html } from "hono/html";
import type { Conversation, IncomingMessage, Media, Message, OutgoingMessage } from "../messages.ts";
import type { Service } from "../service.ts";
import { ICONS } from "./icons.ts";
import { avatar, clockTime, dayName, isoTime, type Markup, nameOf } from "./people.ts";

/** Newest messages shown. */
const MESSAGES_MAX = 300;

/** Milliseconds within which messages of one author form a group. */
const GROUP_MS = 5 * 60_000;

/** Raster pictures only: an SVG is a document. */
export const isPicture = (type: string): boolean => /^image\/(png|jpeg|gif|webp|avif)$/.test(type);

const EMOJI_ONLY = /^(?:\p{RGI_Emoji}|\s){1,12}$/v;

const authorOf = (message: Message): string => (message.direction === "in" ? "visitor" : message.origin);

const AUTHORS: Record<OutgoingMessage["origin"], string> = {
  bot: "AI bot",
  human: "You",
  followUp: "Campaign",
  api: "Sent through the interface",
};

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 ** 2 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

/** The kind of a file, for display. */
function kindOf(type: string): string {
  if (type === "application/pdf") return "PDF document";
  const [family = "", format = ""] = type.split("/");
  return /^(image|audio|video)$/.test(family) ? `${format.toUpperCase()} ${family}` : type;
}

function file(media: Media, messageId: string): Markup {
  const href = `/inbox/media/${encodeURIComponent(messageId)}`;
  if (media.bytes !== undefined && isPicture(media.type)) {
    return html`<a class="picture" href="${href}" target="_blank" rel="noopener"><img src="${href}" alt="Picture from the visitor" loading="lazy"></a>`;
  }
  const about = media.error ?? (media.bytes === undefined ? "Not fetched" : sizeOf(media.bytes.length));
  const inside = html`<span class="file-icon">${ICONS.file}</span><span class="file-type">${kindOf(media.type)}</span><span class="file-about">${about}</span>`;
  return media.bytes === undefined
    ? html`<span class="file${media.error === undefined ? "" : " failed"}">${inside}</span>`
    : html`<a class="file" href="${href}">${inside}</a>`;
}

function bubble(message: Message, reactions: string): Markup {
  const media = message.direction === "in" ? message.media : undefined;
  const bare = media === undefined && EMOJI_ONLY.test(message.body);
  const picture = media?.bytes !== undefined && isPicture(media.type);
  const text = message.body === "" ? "" : html`<span class="text" dir="auto">${message.body}</span>`;
  return html`<div class="bubble${bare ? " bare" : ""}${picture ? " has-picture" : ""}">
    ${media === undefined ? "" : file(media, message.messageId)}${text}${message.body === "" && media === undefined ? html`<em>No text</em>` : ""}
    ${reactions === "" ? "" : html`<span class="reactions" aria-label="Reacted with ${reactions}">${reactions}</span>`}
  </div>`;
}

/** Below a failed reply: the reason, and a button to send it again. */
const failure = ({ messageId, error }: OutgoingMessage): Markup => html`<p class="outcome failed">
  <span class="outcome-icon">${ICONS.alert}</span><span>Not delivered: ${error ?? "no details"}</span>
  <button form="resend" name="messageId" value="${messageId}">Send again</button>
</p>`;

type Group = { author: string; messages: Message[] };

/** Groups messages by author. A failed reply ends its group, because its reason is shown below it. */
function groupsOf(messages: readonly Message[]): Group[] {
  const groups: Group[] = [];
  for (const message of messages) {
    const group = groups.at(-1);
    const last = group?.messages.at(-1);
    const together = last !== undefined && group?.author === authorOf(message) && message.at - last.at < GROUP_MS;
    const failed = last?.direction === "out" && last.status === "Failed";
    if (together && !failed && dayName(last.at, message.at) === "Today") group?.messages.push(message);
    else groups.push({ author: authorOf(message), messages: [message] });
  }
  return groups;
}

function meta(message: Message): Markup {
  const time = html`<time datetime="${isoTime(message.at)}">${clockTime(message.at)}</time>`;
  if (message.direction === "in") return html`<p class="meta">${time}</p>`;
  const sent = message.status === "Sent" ? html` · Sent<span class="tick">${ICONS.check}</span>` : "";
  return html`<p class="meta">${AUTHORS[message.origin]} · ${time}${sent}</p>`;
}

function groupView({ author, messages }: Group, reactions: Map<string, string>): Markup {
  const last = messages.at(-1);
  if (last === undefined) return html``;
  const side = author === "visitor" ? "theirs" : "ours";
  return html`<div class="group ${side} ${author}">
    ${messages.map((message) => bubble(message, reactions.get(message.messageId) ?? ""))}
    ${last.direction === "out" && last.status === "Failed" ? failure(last) : meta(last)}
  </div>`;
}

/** A reaction is shown at its reply; without a reply, on its own. */
function reactionsOf(messages: readonly Message[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const message of messages) {
    if (message.direction !== "in" || message.reactsTo === undefined) continue;
    found.set(message.reactsTo, `${found.get(message.reactsTo) ?? ""}${message.body}`);
  }
  return found;
}

const isBubble = (message: Message): boolean => message.direction === "out" || message.reactsTo === undefined;

function log(conversation: Conversation, now: number): Markup {
  const newest = conversation.messages.slice(-MESSAGES_MAX);
  const reactions = reactionsOf(newest);
  let day = "";
  const rows = groupsOf(newest.filter(isBubble)).map((group) => {
    const name = dayName(group.messages[0]?.at ?? now, now);
    const divider = name === day ? "" : html`<p class="day"><span>${name}</span></p>`;
    day = name;
    return html`${divider}${groupView(group, reactions)}`;
  });
  const older = conversation.messages.length - newest.length;
  return html`${older > 0 ? html`<p class="day"><span>${older} older messages are not shown</span></p>` : ""}${rows}`;
}

function header(service: Service, conversation: Conversation): Markup {
  const { config, contacts } = service;
  const name = nameOf(service, conversation);
  const active = conversation.botActive ?? config.botActive;
  const about = [contacts.get(conversation.contactId)?.email, conversation.channel, siteOf(conversation)]
    .filter((part) => part !== undefined && part !== name)
    .join(" · ");
  return html`<header class="thread-head">
    <a class="back" href="/" aria-label="All conversations">${ICONS.back}</a>
    ${avatar(name, conversation.fromId)}
    <div class="who"><h1>${name}</h1><p><span class="mark">SANDBOX</span>${about === "" ? "Website visitor" : about}</p></div>
    <form class="bot-switch" method="post" action="/inbox/bot">
      <input type="hidden" name="to" value="${conversation.fromId}">
      <button name="active" value="${active ? "false" : "true"}" role="switch" aria-checked="${active ? "true" : "false"}">
        <span>AI bot<span class="roomy"> answers</span></span><span class="track"><span class="knob"></span></span>
      </button>
    </form>
  </header>`;
}

const lastIncoming = ({ messages }: Conversation): IncomingMessage | undefined =>
  messages.findLast((message): message is IncomingMessage => message.direction === "in");

const siteOf = (conversation: Conversation): string | undefined => lastIncoming(conversation)?.toId;

/** The header and the log. The composer is outside, so that a refresh does not change the text being typed. */
export function threadView(service: Service, conversation: Conversation): Markup {
  return html`${header(service, conversation)}
    <div class="log" role="log" aria-label="Messages" tabindex="0">
      <div class="log-inner">${log(conversation, service.clock.now())}</div>
    </div>`;
}

/** The contact as the service stores it, for developers of clients. */
export function detailsView(service: Service, conversation: Conversation): Markup {
  const contact = service.contacts.get(conversation.contactId);
  const last = lastIncoming(conversation);
  const lists = Object.entries(service.lists.all()).filter(([, ids]) => ids.includes(conversation.contactId));
  const rows: [string, string | undefined][] = [
    ["Name", [contact?.firstName, contact?.lastName].filter((part) => part !== undefined).join(" ") || undefined],
    ["Email", contact?.email],
    ["Phone", contact?.phone],
    ["fromId", conversation.fromId],
    ["Contact id", conversation.contactId],
    ["Written to", last?.toId],
    ["Channel", conversation.channel],
    ["Campaign", last?.campaignId],
    ["Lists", lists.map(([listId]) => listId).join(", ") || undefined],
    [
      "First seen",
      contact &&
        `${dayName(Date.parse(contact.createdAt), service.clock.now())}, ${clockTime(Date.parse(contact.createdAt))}`,
    ],
    ["Messages", String(conversation.messages.length)],
  ];
  return html`<h2>Contact</h2><dl>
    ${rows.filter(([, value]) => value !== undefined).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}
