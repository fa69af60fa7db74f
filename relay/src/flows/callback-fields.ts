import { copyOf } from "../base/address.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import { addCallbackFields, type CallbackField, callbackFields } from "../records/callback-fields.ts";

/** The kind of callback that a field belongs to. */
type CallbackKind = CallbackField["kind"];

/** Shortest time between two inspected callbacks, in ms: their fields change rarely. */
const EVERY_MS = 1_000;
/** Most fields that are stored. */
const FIELDS_MAX = 300;
/** Deepest level of nested objects whose fields are stored. */
const DEPTH_MAX = 4;
/** Longest path of a field that is stored, in UTF-16 units. */
const PATH_MAX = 100;

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "list" : typeof value);

/**
 * The beginning of a path. It is cut before the names of inner fields are added: otherwise each field of an object with a name of
 * 500 KB would have a path of 500 KB, and one callback would take gigabytes (RELIABILITY A24). It is copied, so
 * that it does not keep the whole callback in memory.
 */
const beginningOf = (path: string): string => copyOf(path.slice(0, PATH_MAX));

/** The paths of all fields of nested objects, each with the type of its value. */
function pathsIn(value: unknown, path = "", depth = 0): [string, string][] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || depth === DEPTH_MAX)
    return path === "" ? [] : [[path, typeOf(value)]];
  return Object.entries(value).flatMap(([name, inner]) =>
    pathsIn(inner, beginningOf(path === "" ? name : `${path}.${name}`), depth + 1),
  );
}

/**
 * Creates the function that stores the field names of the service's callbacks, so that the operator sees when the service adds one.
 * It stores no values.
 */
export function createCallbackFields({ db, clock, log }: { db: Database; clock: Clock; log: Log }) {
  /** Stored fields, as `kind field`; undefined until the first callback. */
  let known: Set<string> | undefined;
  /** Uptime before which no callback is inspected, in ms. */
  let notBefore = Number.NEGATIVE_INFINITY;

  async function store(kind: CallbackKind, raw: string): Promise<void> {
    known ??= new Set((await callbackFields(db)).map((each) => `${each.kind} ${each.field}`));
    const seen = known;
    const fresh = pathsIn(JSON.parse(raw)).filter(([field]) => !seen.has(`${kind} ${field}`));
    if (fresh.length === 0 || seen.size + fresh.length > FIELDS_MAX) return;
    const rows = fresh.map(([field, type]) => ({ kind, field, type, at: clock.now() }));
    await db.transaction((tx) => addCallbackFields(tx, rows), ["callback fields"]);
    for (const [field] of fresh) seen.add(`${kind} ${field}`);
  }

  /** Inspects at most one callback in `EVERY_MS`. @param raw its body; bodies that are not JSON are ignored */
  return function inspect(kind: CallbackKind, raw: string): void {
    if (clock.uptime() < notBefore) return;
    notBefore = clock.uptime() + EVERY_MS;
    store(kind, raw).catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) log("database.failing", { cause: String(error) });
    });
  };
}
