import { CLOSE, type Ending } from "@porchlight/shared/close";
import { type ErrorFrame, type Hello, PROTOCOL, type Welcome } from "@porchlight/shared/protocol";
import type { Site } from "../../base/config.ts";
import { silentLog } from "../../base/log.ts";
import { verifySession } from "../../base/sign.ts";
import type { FindByToken } from "../access-policy.ts";
import { logIn } from "./login.ts";
import type { KnownVisitor, SessionDeps } from "./state.ts";
import { createAnonymous, endSession, recognise } from "./tokens.ts";
import { missedFormError, welcomeOf } from "./welcome.ts";

/** The session of a visitor whose `hello` was accepted. */
export type OpenedSession = {
  visitor: string;
  site: Site;
  session: string;
  generation: number;
  /** The visitor has no row yet. */
  fresh: boolean;
  welcome: Omit<Welcome, "delivery">;
  /** The error of a form that the service refused while the visitor was away. */
  formError: ErrorFrame | undefined;
};

/** Opens, finds and ends the sessions of visitors. */
export type Sessions = {
  /** Turns a `hello` into a visitor, or into the reason for a refusal. @param origin of the page */
  open: (hello: Hello, origin: string) => Promise<OpenedSession | Ending>;
  /** Finds the visitor of a session token that pages of this origin may use. */
  findByToken: FindByToken;
  /** Ends a session: its tokens become invalid, and its connections close. */
  logout: (visitor: string, session: string) => Promise<void>;
};

/**
 * Creates the functions that open and end visitors' sessions. An anonymous visitor gets only an id and a token. Opening the
 * chat stores nothing: the first message writes the first row. `login.ts` merges an anonymous thread into a user's thread.
 */
export function createSession(given: Omit<SessionDeps, "log"> & Partial<Pick<SessionDeps, "log">>): Sessions {
  const deps: SessionDeps = { log: silentLog, ...given };
  return {
    open: (hello, origin) => open(deps, hello, origin),
    findByToken: (token, origin) => findByToken(deps, token, origin),
    logout: (visitor, session) => endSession(deps, visitor, session),
  };
}

async function open(deps: SessionDeps, hello: Hello, origin: string): Promise<OpenedSession | Ending> {
  const { sites } = deps;
  if (hello.v !== PROTOCOL) return CLOSE.version;
  const site = sites.find(hello.site);
  if (site === undefined || !sites.allows(site, origin)) return CLOSE.notAllowed;
  const known = await authenticate(deps, hello, site);
  if (known === undefined) return CLOSE.badToken;
  if ("code" in known) return known;
  const { visitor, id: session, generation } = known.session;
  return {
    visitor,
    site,
    session,
    generation,
    fresh: known.row === undefined,
    welcome: await welcomeOf(deps, hello, known),
    formError: await missedFormError(deps, known),
  };
}

/** The visitor of a `hello`, new or known. @returns undefined when the token is invalid; an `Ending` when access is refused */
async function authenticate(deps: SessionDeps, hello: Hello, site: Site): Promise<KnownVisitor | Ending | undefined> {
  if (hello.identity !== undefined) return logIn(deps, hello, hello.identity, site);
  return hello.token === undefined ? createAnonymous(deps, site) : recognise(deps, hello.token, site);
}

async function findByToken(deps: SessionDeps, token: string, origin: string): ReturnType<FindByToken> {
  const { sites, signing, clock } = deps;
  const site = sites.find(verifySession(signing, token, clock.now())?.site ?? "");
  if (site === undefined || !sites.allows(site, origin)) return undefined;
  const known = await recognise(deps, token, site, { isHello: false });
  return known && { visitor: known.session.visitor, site: site.public.id };
}
