/**
 * The checks of WIDGET.md part 9 that depend on the engine, in Firefox: `npm run test:full`. The tests in Chromium prove the same
 * in `npm test`.
 */

import { startFirefox } from "./firefox.ts";
import { handsIn } from "./hands.ts";
import { linesIn } from "./lines.ts";
import { looksIn } from "./looks.ts";
import { mannersIn } from "./manners.ts";
import { setStage } from "./stage.ts";

const stage = setStage(startFirefox);
for (const part of [looksIn, handsIn, mannersIn, linesIn]) part("Firefox", stage);
