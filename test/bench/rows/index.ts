import type { Row } from "../row.ts";
import { CONNECTS } from "./connects.ts";
import { HALVES } from "./halves.ts";
import { NODES } from "./nodes.ts";
import { SERIES } from "./series.ts";
import { SIZE } from "./size.ts";
import { TRIPS } from "./trips.ts";

/** All rows of the relay's measurements. */
export const ROWS: readonly Row[] = [...TRIPS, ...HALVES, ...CONNECTS, ...SIZE, ...SERIES, ...NODES];
