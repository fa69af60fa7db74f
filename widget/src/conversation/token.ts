/**
 * A token as the relay signs it is `payload.mac`, and its payload is base64url of a JSON array that begins with the visitor's
 * id. The relay replaces tokens from time to time; the visitor in them stays the same.
 */

/** The visitor's id in a token, read without a check; of a text that is no such token, the text itself. */
function visitorOf(token: string): unknown {
  try {
    const [payload = ""] = token.split(".");
    return JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")))[0];
  } catch {
    return token;
  }
}

/** Whether two tokens are of the same visitor. An empty one is nobody's. */
export const isSameVisitor = (one: string, other = ""): boolean =>
  one === other ? one !== "" : visitorOf(one) === visitorOf(other);
