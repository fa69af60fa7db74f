import { createHash } from "node:crypto";
import { randomId } from "@porchlight/shared/id";
import { newSecret, sameSecret } from "../base/sign.ts";
import type { Transaction } from "../db/database.ts";

/** What a token may allow, each for one site. */
export const SCOPES = [
  "visitors:read",
  "visitors:erase",
  "visitors:block",
  "sessions:end",
  "messages:read",
  "messages:send",
  "contacts:read",
  "contacts:write",
  "leads:read",
  "leads:write",
  "credits:read",
  "credits:write",
  "deliveries:read",
  "deliveries:write",
  "admin:read",
] as const;
/** Something that a token may allow. */
export type Scope = (typeof SCOPES)[number];

/** A token of the server API, without its secret. Times are milliseconds since 1970. */
export type Token = {
  id: string;
  site: string;
  name: string;
  scopes: Scope[];
  created: number;
  revoked: number | null;
};

type Row = Omit<Token, "scopes"> & { scopes: string; hash: string };
const COLUMNS = "id, site, name, scopes, created, revoked, hash";

/** A plain hash is enough: the secret has 256 random bits and cannot be guessed. */
const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

const toToken = ({ hash, scopes, ...rest }: Row): Token => ({ ...rest, scopes: scopes.split(" ") as Scope[] });

/** Creates a token, `pl_<id>_<secret>`. Only its hash is stored, so the text is available only now. */
export async function addToken(
  tx: Transaction,
  given: { site: string; name: string; scopes: readonly Scope[]; now: number },
): Promise<{ token: Token; text: string }> {
  const id = randomId(12);
  const text = `pl_${id}_${newSecret()}`;
  const { site, name, scopes, now } = given;
  await tx.run(
    "INSERT INTO tokens (id, site, name, scopes, hash, created) VALUES ($1, $2, $3, $4, $5, $6)",
    id,
    site,
    name,
    scopes.join(" "),
    hashOf(text),
    now,
  );
  return { token: { id, site, name, scopes: [...scopes], created: now, revoked: null }, text };
}

/** The hash to compare with when no token has the id: as long as a real one, and not the hash of any known text. */
const DUMMY_HASH = "0".repeat(43);

/**
 * Finds the valid token with this text. An unknown id takes as long as a wrong secret: without this, its answer would come 45 µs
 * earlier and show which ids exist.
 */
export async function findToken(tx: Transaction, text: string): Promise<Token | undefined> {
  const [, id] = /^pl_([0-9a-z]{12})_[A-Za-z0-9_-]{43}$/.exec(text) ?? [];
  if (id === undefined) return undefined;
  const [row] = await tx.all<Row>(`SELECT ${COLUMNS} FROM tokens WHERE id = $1 AND revoked IS NULL`, id);
  const isRight = sameSecret(hashOf(text), row?.hash ?? DUMMY_HASH);
  return row !== undefined && isRight ? toToken(row) : undefined;
}

/** The hash of a valid token; undefined for a token that is unknown or revoked. */
export async function hashOfToken(tx: Transaction, id: string): Promise<string | undefined> {
  const [row] = await tx.all<{ hash: string }>("SELECT hash FROM tokens WHERE id = $1 AND revoked IS NULL", id);
  return row?.hash;
}

/** All tokens of the server API, revoked ones too, oldest first. */
export async function tokens(tx: Transaction): Promise<Token[]> {
  const rows = await tx.all<Row>(`SELECT ${COLUMNS} FROM tokens ORDER BY created, id`);
  return rows.map(toToken);
}

/** Revokes a token. @returns false when no valid token has this id */
export async function revokeToken(tx: Transaction, id: string, now: number): Promise<boolean> {
  return (await tx.run("UPDATE tokens SET revoked = $2 WHERE id = $1 AND revoked IS NULL", id, now)) > 0;
}
