/** The last time format. It is kept, because creating one takes longer than drawing a message. */
let clock: Intl.DateTimeFormat;
/** The language of `clock`. */
let clockTag: string;

/** The time in the visitor's language, such as "10:02". */
export function clockTime(at: number, tag: string): string {
  if (clockTag !== tag) clock = new Intl.DateTimeFormat(tag, { timeStyle: "short" });
  clockTag = tag;
  return clock.format(at);
}
