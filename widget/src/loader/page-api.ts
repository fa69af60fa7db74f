/**
 * `Porchlight(command, …)`: one function on the page. Calls made before the script has loaded wait in `q` and run in
 * order; afterwards every command is a method too. Each command returns a promise; `on` returns a function that unsubscribes.
 */

import type { Options } from "../settings/options.ts";

export type Events = {
  ready: undefined;
  open: undefined;
  close: undefined;
  /** A reply arrived. */
  message: { id: string; text: string; at: number };
  /** The relay stored a message of the visitor. */
  sent: { id: string; text: string; at: number };
  unread: number;
  /** The relay accepted the visitor's identity. If it refuses, an `error` with `not_allowed` comes instead. */
  identify: undefined;
  logout: undefined;
  error: { code: string };
};
type EventName = keyof Events;
type Listener<Name extends EventName> = (detail: Events[Name]) => void;

/** The implementations of the commands. The arguments come from the page and may be anything. */
export type Commands = {
  open(): unknown;
  close(): unknown;
  toggle(): unknown;
  show(): unknown;
  hide(): unknown;
  /** Sends a message as the visitor. */
  send(text: string): unknown;
  /** A JWT that the site's backend signed. */
  identify(token: string): unknown;
  logout(): unknown;
  update(options: Options): unknown;
  consent(given: boolean): unknown;
  destroy(): unknown;
};
export type Methods = { [Name in keyof Commands]: (...args: Parameters<Commands[Name]>) => Promise<unknown> } & {
  on<Name extends EventName>(event: Name, listener: Listener<Name>): () => void;
  off<Name extends EventName>(event: Name, listener: Listener<Name>): void;
  /** Whether the chat is open. */
  isOpen(): boolean;
  /** The number of unread replies, as the event `unread` says it. 0 while the panel's code is not loaded. */
  unread(): number;
};
/** Called with a command's name first. */
type Calls = {
  <Name extends keyof Commands>(command: Name, ...args: Parameters<Commands[Name]>): Promise<unknown>;
  <Name extends EventName>(command: "on", event: Name, listener: Listener<Name>): () => void;
  <Name extends EventName>(command: "off", event: Name, listener: Listener<Name>): void;
  (command: "isOpen"): boolean;
  (command: "unread"): number;
};
/**
 * The same calls while the page's stub, which returns nothing, may still be in place. The result is a type parameter so that the
 * stub can be assigned. Callers do not pass this parameter.
 */
type EarlyCalls = {
  <Name extends keyof Commands, Done = Promise<unknown> | undefined>(
    command: Name,
    ...args: Parameters<Commands[Name]>
  ): Done;
  <Name extends EventName, Off = (() => void) | undefined>(command: "on", event: Name, listener: Listener<Name>): Off;
  <Name extends EventName>(command: "off", event: Name, listener: Listener<Name>): void;
};
/** The function on the page once it is loaded. */
export type Mounted = Calls & Methods & { site: string };
/** The page's stub before loading, the widget's function after. */
export type Porchlight = EarlyCalls &
  Partial<Methods> & { q?: (ArrayLike<unknown> & Iterable<unknown>)[]; site?: string };
/** Another name for the type, because within `declare global` its name belongs to the constant. */
type OnPage = Porchlight;

/** The DOM events on the window. */
type DomEvents = { [Name in EventName as `porchlight:${Name}`]: CustomEvent<Events[Name]> };

declare global {
  interface WindowEventMap extends DomEvents {}
  /** The global that pages call. Not a `var`, because then it would count as always present on `window`. */
  const Porchlight: OnPage;
  interface Window {
    Porchlight?: OnPage | undefined;
    PorchlightSettings?: Options | undefined;
  }
}

/**
 * The settings that the page's script has set on the window. Elements with that `id` and frames with that name are found in
 * the window's prototype chain (HTML, 7.2.2.3), as is a property of a polluted `Object.prototype`: none of them is used. The
 * result can be any value; read only own properties of it, as `mergeLayers` does.
 */
export const pageSettings = (): Options | undefined =>
  Object.hasOwn(window, "PorchlightSettings") ? window.PorchlightSettings : undefined;

/** The value if it is a function, not an element of that name. `typeof` is not enough: `<embed>` is a "function". */
export const asFunction = <Given>(value: Given): Given | undefined => (value instanceof Function ? value : undefined);

/** The page's stub, or the widget's function once it is loaded. */
export const pageFunction = (): OnPage | undefined => asFunction(window.Porchlight);

export type Emit = <Name extends EventName>(name: Name, detail?: Events[Name]) => void;
type Run = (...args: unknown[]) => unknown;

/**
 * Installs the function on the page, and runs the waiting commands.
 * @param site marks the function as loaded
 * @param queries the commands that return a value immediately
 * @returns the function that emits events to the page
 */
export function installApi(site: string, commands: Commands, queries: Pick<Methods, "isOpen" | "unread">): Emit {
  const listeners = { __proto__: null } as unknown as Record<string, Set<Run>>;
  let ready = false;
  const off: Run = (name, listener) => listeners[name as string]?.delete(listener as Run);
  const on: Run = (name, listener) => {
    listeners[name as string] ??= new Set();
    listeners[name as string]?.add(listener as Run);
    if (ready && name === "ready") queueMicrotask(listener as Run);
    return () => off(name, listener);
  };
  // No prototype, so that `Porchlight("constructor")` is not a command.
  const methods = { __proto__: null, on, off, ...queries } as unknown as Record<string, Run>;
  for (const name of Object.keys(commands)) {
    // Runs up to its first `await` synchronously, because some actions must happen within the user's click.
    methods[name] = async (...args) => (commands[name as keyof Commands] as Run)(...args);
  }
  const waiting = pageFunction()?.q;
  const api = Object.assign((name: string, ...args: unknown[]) => methods[name]?.(...args), methods, { site });
  window.Porchlight = api as Porchlight;
  // Run after the script that installs the widget has ended.
  queueMicrotask(() => waiting?.map((args) => api(...(args as [string]))));
  return (name, detail) => {
    ready ||= name === "ready";
    dispatchEvent(new CustomEvent(`porchlight:${name}`, { detail }));
    // An error in the page's listener is reported as the page's own, and does not stop the widget.
    for (const listener of listeners[name] ?? []) queueMicrotask(() => listener(detail));
  };
}
