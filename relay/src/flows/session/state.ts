import type { Clock } from "../../base/clock.ts";
import type { CheckIdentity } from "../../base/identity.ts";
import type { Log } from "../../base/log.ts";
import type { Session } from "../../base/sign.ts";
import type { Bus } from "../../bus/bus.ts";
import type { Database } from "../../db/database.ts";
import type { ReturningVisitor } from "../../records/sessions.ts";
import type { Sites } from "../../records/sites.ts";
import type { Visitor } from "../../records/visitors.ts";
import type { FirstNameOf } from "../first-names.ts";

/** What the sessions work with. */
export type SessionDeps = {
  db: Database;
  bus: Bus;
  sites: Sites;
  /** The key that signs sessions and visitor ids. */
  signing: string;
  /** Id of this database's history: it changes when the database is restored from a backup. */
  epoch: string;
  clock: Clock;
  log: Log;
  /** Verifies a site's signed identities; undefined if the site has no keys for them. */
  identity: (site: string) => CheckIdentity | undefined;
  /** First name of a visitor with a signed identity. Never rejects. */
  nameOf: FirstNameOf;
  /** Tells the courier that a visitor's lane has something to deliver. */
  wake: (lane: { visitor: string; account: string; first: boolean }) => void;
};

/** A visitor whose session is valid. */
export type KnownVisitor = {
  session: Session;
  row: Visitor | undefined;
  /** The visitor of the token in `hello`. The client has a copy of this visitor's log. */
  logOf?: string | undefined;
  /** The data that was read together with the row; absent: it has to be read. */
  stored?: ReturningVisitor | undefined;
  /** A new token for the client. */
  token: string | undefined;
  /** First name, for the greeting. */
  name?: string | undefined;
};
