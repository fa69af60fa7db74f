/**
 * Whether JSON text nests deeper than `max`, found without parsing: values thousands of levels deep parse, and then break
 * whatever walks them (RELIABILITY finding 4). Linear in the text's length.
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
