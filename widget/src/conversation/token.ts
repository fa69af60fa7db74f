/**
 * A session token is `payload.mac`. The payload is base64url of a JSON array that begins with the visitor's id. The relay
 * replaces tokens from time to time; the visitor's id stays the same.
 */

/** Reads the visitor's id from a token without verifying it. @returns the text itself if it is not such a token */
function visitorOf(token: string): unknown {
  try {
    const [payload = ""] = token.split(".");
    return JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")))[0];
  } catch {
    return token;
  }
}

/** Whether two tokens belong to the same visitor. An empty token belongs to nobody. */
export const isSameVisitor = (one: string, other = ""): boolean =>
  one === other ? one !== "" : visitorOf(one) === visitorOf(other);
