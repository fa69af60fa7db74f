/** The content of a data: URL (RFC 2397). */
export type DataUrlContent = { bytes: Buffer; name: string };

const DATA_URL = /^data:([^,]*),(.*)$/is;

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
export function parseDataUrl(url: string): DataUrlContent | undefined {
  const [, head = "", data] = DATA_URL.exec(url) ?? [];
  const text = data === undefined ? undefined : unescaped(data);
  if (text === undefined) return undefined;
  const [type = "", ...parameters] = head.split(";").map((part) => part.trim());
  const isBase64 = parameters.some((part) => part.toLowerCase() === "base64");
  const nameParameter = parameters.find((part) => /^(?:file)?name=/i.test(part));
  const defaultName = type === "" || type.toLowerCase() === "text/plain" ? "text.txt" : "";
  const name = unescaped(nameParameter?.slice(nameParameter.indexOf("=") + 1).replaceAll('"', "") ?? "") || defaultName;
  if (!isBase64) return { bytes: Buffer.from(text), name };
  // Form encoding turns each plus sign into a space; this reverses it.
  const base64 = text.replaceAll(" ", "+").replace(/[\r\n\t]/g, "");
  return /^[\w+/-]*={0,2}$/.test(base64) ? { bytes: Buffer.from(base64, "base64"), name } : undefined;
}
