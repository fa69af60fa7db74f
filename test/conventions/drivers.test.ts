import { expect, it } from "vitest";
import { isTest, sources } from "./sources.ts";

/**
 * A static import of code that only a relay with PostgreSQL or Redis needs: of a driver, or of the file that uses one.
 * Imports of types are allowed.
 */
const STATIC = /^import (?!type\b)[^;]*from "(pg|@redis\/client|[./\w]*\/postgres\.ts)";/m;

it("loads the drivers of PostgreSQL and Redis by dynamic import only, so that the default never loads them", () => {
  const relay = sources(".ts").filter(
    ({ path }) => path.startsWith("relay/src/") && !isTest(path) && !path.includes("fixture"),
  );
  expect(relay.filter(({ text }) => STATIC.test(text)).map(({ path }) => path)).toEqual([]);
  expect(relay.length).toBeGreaterThan(100);
});
