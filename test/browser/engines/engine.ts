/**
 * A browser other than Chromium. Each engine is driven by the newest protocol it supports: Firefox by WebDriver BiDi
 * (`firefox.ts`), WebKit by WebDriver classic (`webkit.ts`).
 */

/** Pixels of the page. */
export type Size = { width: number; height: number };
export const DESKTOP: Size = { width: 1280, height: 800 };
export const PHONE: Size = { width: 390, height: 844 };

/** Settings of the visitor's system and browser. */
export type World = {
  /** The system is set to dark. */
  dark?: boolean;
  /** Pages may store nothing. */
  storeless?: boolean;
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

/** An event of a key or a pointer, as both protocols spell it. */
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
  /** Turns the wheel over a point of the window, by pixels downwards. */
  wheel(x: number, y: number, by: number): Promise<void>;
  /** Chooses a file in the first file field of the chat. */
  pick(path: string): Promise<void>;
  /** Begins a word with an input method and leaves it open. @returns the text that `commit` will insert */
  compose(): Promise<string>;
  /** Commits the open word with Enter, as a visitor does. */
  commit(): Promise<void>;
  close(): Promise<void>;
}

export interface Engine {
  readonly name: "Firefox" | "WebKit";
  /** Starts again: no tabs, a new visitor, these settings. */
  begin(world: World): Promise<void>;
  /** A tab of the present visitor. */
  open(size: Size): Promise<Tab>;
  /** Whether the browser allows reading its console. */
  readonly reports: boolean;
  /** Errors in the browser's console since the last `begin`, if the browser reports them. */
  complaints(): string[];
  stop(): Promise<void>;
}

/** The characters of a text, each pressed and let go of. */
export const strokes = (text: string): KeyAction[] =>
  [...new Intl.Segmenter().segment(text)].flatMap(({ segment: value }) => [
    { type: "keyDown", value },
    { type: "keyUp", value },
  ]);

/** Keys held together. */
export const chord = (keys: Key[]): KeyAction[] => [
  ...keys.map((key): KeyAction => ({ type: "keyDown", value: KEYS[key] })),
  ...keys.toReversed().map((key): KeyAction => ({ type: "keyUp", value: KEYS[key] })),
];

/** Where a click goes, as a sequence of one pointer. */
export const clicks = (x: number, y: number): object[] => [
  { type: "pointerMove", x: Math.round(x), y: Math.round(y) },
  { type: "pointerDown", button: 0 },
  { type: "pointerUp", button: 0 },
];
