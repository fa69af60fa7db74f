/** A control of the page that makes the tag. */
export type Control = {
  /** The field, or the element that contains several fields. Every change in it fires an `input` event. */
  node: HTMLElement;
  /** The field that the setting's label names, if it is only a part of `node`. */
  field?: HTMLElement;
  /** The setting's value, of a type that JSON has; undefined if the control is empty. */
  read(): unknown;
};
