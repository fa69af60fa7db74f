/**
 * Prints what runs in production besides this repository's own code.
 *
 *   npm run -s sbom       as a CycloneDX document (JSON)
 *   npm run -s licenses   as a list with the licence of each package
 */

import { components, sbom } from "./components.ts";

if (process.argv.includes("--licenses"))
  for (const { name, version, license } of components()) console.log(`${license.padEnd(16)}${name} ${version}`);
else console.log(JSON.stringify(sbom(), null, 2));
