/** Content encoding and conditional requests: RFC 9110, sections 12.5.3 and 13.1.2. */

export type Encoding = "br" | "gzip" | "identity";

/** Entries of a header that are read; browsers send at most five. The rest of a long header would only cost time. */
const ENTRIES_MAX = 20;

/** A name and its weight: `gzip;q=0.5`. The default is 1; an invalid weight is 0. */
function weighed(part: string): [name: string, weight: number] {
  const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
  const weight = parameters.find((word) => word.startsWith("q="));
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}

/**
 * The encoding that the client prefers; the smallest of several with the same weight. `identity` without the header, and also
 * when the client forbids every encoding, as section 12.5.3 allows.
 * @param accept the `Accept-Encoding` header
 */
export function encodingOf(accept: string | undefined): Encoding {
  const weights = new Map(accept?.split(",", ENTRIES_MAX).map(weighed));
  const weigh = (name: string): number => weights.get(name) ?? weights.get("*") ?? 0;
  const plain = weights.get("identity") ?? 0;
  const best = weigh("br") >= weigh("gzip") ? "br" : "gzip";
  return weigh(best) > 0 && weigh(best) >= plain ? best : "identity";
}

/**
 * Whether the client has this version. The comparison is weak, because a proxy that changed the answer marks its ETag as weak.
 * @param match the `If-None-Match` header
 * @param etag the present ETag, with its quotes
 */
export const matchesEtag = (match: string | undefined, etag: string): boolean =>
  match?.split(",", ENTRIES_MAX).some((one) => one.trim().replace(/^W\//, "") === etag || one.trim() === "*") ?? false;
