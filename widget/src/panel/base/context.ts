/**
 * The panel's context. Each component names the members that it needs in its signature: `Needs<"t" | "chat">`. Only
 * `main/main.ts` creates the whole context.
 */

import type { ReadonlySignal, Signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import type { Attachment, Chat } from "../../conversation/chat.ts";
import type { Shell } from "../../loader/contract.ts";
import type { PanelSettings } from "../../settings/options.ts";
import type { Language, Translate } from "../../text/i18n.ts";
import type { Announcer } from "./announcer.ts";
import type { FilePicking } from "./files.ts";
import type { LateParts } from "./late-parts.ts";

/** The site's settings and the visitor's language. */
type Wording = {
  settings: ReadonlySignal<PanelSettings>;
  language: ReadonlySignal<Language>;
  /** The text of a key in the current language. */
  t: Translate;
};

type Conversation = {
  chat: Chat;
  /** Whether storing and sending is allowed. */
  consent: Signal<boolean>;
  /**
   * Sends a message; after the end of a conversation it begins a new one. Returns the number of messages, one per attachment.
   * It is lower than requested if the outbox has no room.
   */
  send(text: string, attachments?: readonly Attachment[]): number;
};

/** The panel as a window on the page. */
type Frame = {
  shell: Shell;
  /** Whether the panel is open. */
  isOpen: ReadonlySignal<boolean>;
  close(): void;
  /** Puts the focus into the text field. */
  focusComposer(): void;
  announcer: Announcer;
  /** Whether a reply may play a sound while the page is hidden. */
  sound: Signal<boolean>;
  /** Milliseconds since 1970, by this browser. */
  now(): number;
};

type FormPart = "Foot" | "Card" | "Consent" | "Status" | "ReplyTime";

/** Components that only some sites or conversations have. Undefined until their code is fetched. */
type RareComponents = {
  /**
   * Present if the site has forms, states a reply time, or switches on rare features: `Tools` beside the text field and the
   * `Start` screen.
   */
  forms: Signal<{ readonly [part in FormPart | "Tools" | "Start"]?: ComponentType } | undefined>;
  /** Whether a form replaces the composer. */
  asking: Signal<boolean>;
  /** Present where the conversation may be rated. */
  rating: Signal<{ Rate: ComponentType } | undefined>;
  /** Present once a conversation has ended. */
  ended: Signal<{ Ended: ComponentType } | undefined>;
};

/** Everything that `Root` gives to the components below it. */
export type PanelContext = Wording & Conversation & Frame & RareComponents & LateParts & FilePicking;

/** The members of the panel's context that a component or a function needs. */
export type Needs<Names extends keyof PanelContext> = Pick<PanelContext, Names>;
