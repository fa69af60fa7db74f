/**
 * A browser other than Chromium. Each engine is driven by the newest protocol it supports: Firefox by WebDriver BiDi
 * (`firefox.ts`), WebKit by WebDriver classic (`webkit.ts`).
 */

/** Size of the page's viewport, in pixels. */
export type Size = { width: number; height: number };
export const DESKTOP: Size = { width: 1280, height: 800 };
export const PHONE: Size = { width: 390, height: 844 };

/** The visitor's system and browser. */
export type Environment = {
  /** Whether the system uses a dark theme. */
  dark?: boolean;
  /** Whether the browser blocks all storage. */
  blocksStorage?: boolean;
  /** Touch instead of a mouse. WebKitGTK asks the screen, and Xvfb has no touch screen, so only Firefox can simulate it. */
  touch?: boolean;
};

/** Keys that are not characters, by the code points of WebDriver (17.4.2). */
export const KEYS = {
  Backspace: "\uE003",
  Tab: "\uE004",
  Enter: "\uE006",
  Shift: "\uE008",
  Control: "\uE009",
  Escape: "\uE00C",
  Space: "\uE00D",
} as const;

export type Key = keyof typeof KEYS;

/** An event of a key, as both protocols spell it. */
export type KeyAction = { type: "keyDown" | "keyUp"; value: string };

/** One tab or window. */
export interface Tab {
  /** Resolves when the page has loaded. */
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** One step back in the history. */
  back(): Promise<void>;
  /** Runs a function in the page. It must use only its arguments, which are JSON. */
  run<Given extends unknown[], Answer>(
    act: (...given: Given) => Answer | Promise<Answer>,
    ...given: Given
  ): Promise<Answer>;
  /** Presses keys at the same time; the last one is released first. */
  press(...keys: Key[]): Promise<void>;
  /** Types character by character. */
  type(text: string): Promise<void>;
  /** Clicks at a point of the window. */
  click(x: number, y: number): Promise<void>;
  /** Scrolls down by `by` pixels with the wheel, at a point of the window. */
  wheel(x: number, y: number, by: number): Promise<void>;
  /** Chooses a file in the first file field of the chat. */
  pick(path: string): Promise<void>;
  /** Starts a composition with an input method. @returns the text that `commit` will insert */
  compose(): Promise<string>;
  /** Ends the composition with Enter, as a visitor does. */
  commit(): Promise<void>;
  close(): Promise<void>;
}

export interface Engine {
  readonly name: "Firefox" | "WebKit";
  /** Closes all tabs and starts a new visitor in this environment. */
  begin(environment: Environment): Promise<void>;
  /** Opens a tab of the current visitor. */
  open(size: Size): Promise<Tab>;
  /** Whether the browser allows reading its console. */
  readonly reports: boolean;
  /** Errors in the browser's console since the last `begin`, if the browser reports them. */
  consoleErrors(): string[];
  stop(): Promise<void>;
}

/** Key events that press and release each character of a text. */
export const strokes = (text: string): KeyAction[] =>
  [...new Intl.Segmenter().segment(text)].flatMap(({ segment: value }) => [
    { type: "keyDown", value },
    { type: "keyUp", value },
  ]);

/** Key events that press several keys at the same time. */
export const chord = (keys: Key[]): KeyAction[] => [
  ...keys.map((key): KeyAction => ({ type: "keyDown", value: KEYS[key] })),
  ...keys.toReversed().map((key): KeyAction => ({ type: "keyUp", value: KEYS[key] })),
];

/** Pointer events of a click at a point of the window. */
export const clicks = (x: number, y: number): object[] => [
  { type: "pointerMove", x: Math.round(x), y: Math.round(y) },
  { type: "pointerDown", button: 0 },
  { type: "pointerUp", button: 0 },
];
