/** Invisible characters that would let a message look empty: zero-width ones, word joiner, byte order mark. */
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/gu;

/** Whether nothing would be left to read: white space of any script and zero-width characters only. */
export function isBlank(text: string): boolean {
  return text.replace(INVISIBLE, "").trim() === "";
}

/** Cuts at a grapheme border so that at most `max` UTF-16 units remain, never half an emoji. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(text.slice(0, max + 64))) {
    if (index + segment.length > max) break;
    end = index + segment.length;
  }
  return text.slice(0, end || max);
}
