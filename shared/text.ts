/** Invisible characters: zero-width ones, word joiner, byte order mark. A message with only these looks empty. */
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/gu;

/** Whether a text consists only of white space of any script and zero-width characters. */
export function isBlank(text: string): boolean {
  return text.replace(INVISIBLE, "").trim() === "";
}

/** Cuts a text at a grapheme border to at most `max` UTF-16 units, so that no emoji is split. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(text.slice(0, max + 64))) {
    if (index + segment.length > max) break;
    end = index + segment.length;
  }
  return text.slice(0, end || max);
}
