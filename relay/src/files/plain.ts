/** Markup in any spelling that a browser might take for it: tags, declarations, and the bracket in UTF-7. */
const MARKUP = /<[a-z!/?]|\+ADw/i;
/** Controls that no text has. */
const CONTROLS = /[^\P{Cc}\t\n\r\f]/u;

/**
 * Whether a file is text and nothing but text: UTF-8 to its last byte, without controls and without markup. Sniffing knows
 * no plain text, so this reads all of it.
 * @param chunks the file's bytes, in order
 */
export async function isPlainText(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let tail = "";
  try {
    for await (const chunk of chunks) {
      const text = tail + decoder.decode(chunk, { stream: true });
      if (MARKUP.test(text) || CONTROLS.test(text)) return false;
      // Markup may lie across the border of two chunks.
      tail = text.slice(-3);
    }
    decoder.decode();
  } catch {
    return false;
  }
  return true;
}
