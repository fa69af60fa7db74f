/** 32 letters and digits, without those that people confuse. One character carries five bits. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Random bytes from the platform. Works on plain http pages, where `crypto.randomUUID` does not exist. */
const platformBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

/**
 * A random id of `length` characters of `[0-9a-z]`, five bits each: 26 characters carry 130 bits.
 * @param bytes source of randomness; a seeded one in simulations
 */
export function randomId(length = 26, bytes: (count: number) => Uint8Array = platformBytes): string {
  let id = "";
  for (const byte of bytes(length)) id += ALPHABET[byte & 31];
  return id;
}
