import type { Row } from "../row.ts";
import { CONNECTS } from "./connects.ts";
import { NODES } from "./nodes.ts";
import { SIZE } from "./size.ts";
import { TRIPS } from "./trips.ts";
import { WAYS } from "./ways.ts";

/** Everything that is measured of the relay. */
export const ROWS: readonly Row[] = [...TRIPS, ...WAYS, ...CONNECTS, ...SIZE, ...NODES];
