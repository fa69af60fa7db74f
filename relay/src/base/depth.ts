/**
 * Whether JSON text is nested deeper than `max`. Call it before parsing, because a deeply nested value can overflow the
 * stack of code that walks it (RELIABILITY finding 4). Its time grows linearly with the text.
 */
export function tooDeep(json: string, max: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const c = json.charCodeAt(i);
    if (inString) {
      if (c === 0x5c) i++;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x5b || c === 0x7b) {
      if (++depth > max) return true;
    } else if (c === 0x5d || c === 0x7d) depth--;
  }
  return false;
}
