/** A control of the page that makes the tag. */
export type Control = {
  /** The field, or the element that contains several fields. Every change in it fires an `input` event. */
  node: HTMLElement;
  /** Its value as in JSON; undefined if it is empty. */
  read(): unknown;
};
