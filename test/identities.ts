import { createHmac } from "node:crypto";

/** The secret with which the owner of the tests' site signs identities. */
export const IDENTITY_SECRET = "the owner's backend and the relay know this";

type Claims = { sub: string; [claim: string]: unknown };

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** An identity as the owner's backend signs it (RFC 7515, HS256). It is valid for ten minutes, unless the claims say otherwise. */
export function identityOf(claims: Claims, secret = IDENTITY_SECRET): string {
  const payload = { exp: Math.floor(Date.now() / 1_000) + 600, ...claims };
  const signed = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(payload)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
