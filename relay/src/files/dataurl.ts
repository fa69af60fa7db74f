/** What a data: URL holds (RFC 2397). */
export type Held = { bytes: Buffer; name: string };

const FORM = /^data:([^,]*),(.*)$/is;

/** Escapes resolved; nothing when they are none of UTF-8. */
function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads a data: URL. What type it says it is tells only whether text may be looked for in it.
 * @returns nothing when it is not one, or is damaged
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
  // A form turns each plus into a blank.
  const base64 = text.replaceAll(" ", "+").replace(/[\r\n\t]/g, "");
  return /^[\w+/-]*={0,2}$/.test(base64) ? { bytes: Buffer.from(base64, "base64"), name } : undefined;
}
