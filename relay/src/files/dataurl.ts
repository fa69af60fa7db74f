/** The content of a data: URL (RFC 2397). */
export type Held = { bytes: Buffer; name: string };

const FORM = /^data:([^,]*),(.*)$/is;

/** Decodes percent escapes; undefined when the result is not UTF-8. */
function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses a data: URL. Its own type only decides whether the content may be plain text.
 * @returns undefined when it is not a data: URL, or is damaged
 */
export function parseDataUrl(url: string): Held | undefined {
  const [, head = "", data] = FORM.exec(url) ?? [];
  const text = data === undefined ? undefined : unescaped(data);
  if (text === undefined) return undefined;
  const [type = "", ...parameters] = head.split(";").map((part) => part.trim());
  const coded = parameters.some((part) => part.toLowerCase() === "base64");
  const named = parameters.find((part) => /^(?:file)?name=/i.test(part));
  const plain = type === "" || type.toLowerCase() === "text/plain" ? "text.txt" : "";
  const name = unescaped(named?.slice(named.indexOf("=") + 1).replaceAll('"', "") ?? "") || plain;
  if (!coded) return { bytes: Buffer.from(text), name };
  // Form encoding turns each plus sign into a space; this reverses it.
  const base64 = text.replaceAll(" ", "+").replace(/[\r\n\t]/g, "");
  return /^[\w+/-]*={0,2}$/.test(base64) ? { bytes: Buffer.from(base64, "base64"), name } : undefined;
}
