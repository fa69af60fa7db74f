import type { ByteRange } from "../files/store.ts";

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The part of a file that a request asks for (RFC 9110 section 14). Several parts, other units and invalid values are
 * ignored, as the RFC allows: the answer is the whole file then.
 * @param condition `If-Range`: the range applies only if this is the file's ETag
 * @param size bytes of the file, at least one
 */
export function rangeOf(
  header: string | undefined,
  condition: string | undefined,
  etag: string,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  const [, first, last] = RANGE.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (condition !== undefined && condition !== etag) return undefined;
  // Without a first byte, the second number counts from the end.
  if (first === "") return last === "0" ? "unsatisfiable" : { from: Math.max(0, size - Number(last)), to: size - 1 };
  const from = Number(first);
  const to = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < from) return undefined;
  return from < size ? { from, to } : "unsatisfiable";
}
