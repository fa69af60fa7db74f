/** Text that a browser might interpret as markup: tags, declarations, and the opening bracket in UTF-7. */
const MARKUP = /<[a-z!/?]|\+ADw/i;
/** Control characters that text does not contain. */
const CONTROLS = /[^\P{Cc}\t\n\r\f]/u;

/**
 * Whether a file is plain text: valid UTF-8, without control characters and without markup. Plain text cannot be detected
 * from its first bytes, so this reads the whole file.
 * @param chunks the file's bytes, in order
 */
export async function isPlainText(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let tail = "";
  try {
    for await (const chunk of chunks) {
      const text = tail + decoder.decode(chunk, { stream: true });
      if (MARKUP.test(text) || CONTROLS.test(text)) return false;
      // Markup may begin in one chunk and end in the next.
      tail = text.slice(-3);
    }
    decoder.decode();
  } catch {
    return false;
  }
  return true;
}
