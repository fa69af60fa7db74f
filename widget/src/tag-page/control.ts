/** A control of the page that makes the tag. */
export type Control = {
  /** The field itself, or what holds several. Every change in it is an `input` event. */
  node: HTMLElement;
  /** Its value as JSON has it; nothing where it is empty. */
  read(): unknown;
};
