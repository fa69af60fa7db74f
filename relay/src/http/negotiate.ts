/** Which of its forms a client takes, and whether it has it already: RFC 9110, sections 12.5.3 and 13.1.2. */

export type Encoding = "br" | "gzip" | "identity";

/** A name and its weight: `gzip;q=0.5`. Without one it weighs 1; what cannot be read, nothing. */
function weighed(part: string): [name: string, weight: number] {
  const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
  const weight = parameters.find((word) => word.startsWith("q="));
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}

/**
 * The encoding that the client likes best, the smallest where it likes several the same. `identity` where it says nothing,
 * and also where it forbids everything: an answer is better than none (section 12.5.3 allows it).
 * @param accept the header `Accept-Encoding`
 */
export function encodingOf(accept: string | undefined): Encoding {
  const weights = new Map(accept?.split(",").map(weighed));
  const weigh = (name: string): number => weights.get(name) ?? weights.get("*") ?? 0;
  const plain = weights.get("identity") ?? 0;
  const best = weigh("br") >= weigh("gzip") ? "br" : "gzip";
  return weigh(best) > 0 && weigh(best) >= plain ? best : "identity";
}

/**
 * Whether the client holds this very form. The comparison is the weak one: a proxy that touched the answer marks the tag.
 * @param match the header `If-None-Match`
 * @param etag with its quotes
 */
export const isHeld = (match: string | undefined, etag: string): boolean =>
  match?.split(",").some((one) => one.trim().replace(/^W\//, "") === etag || one.trim() === "*") ?? false;
