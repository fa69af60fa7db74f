/**
 * The checks of WIDGET.md part 9 that depend on the engine, in WebKit, Safari's engine: `npm run test:full`. The tests in Chromium prove the same
 * in `npm test`.
 */

import { handsIn } from "./hands.ts";
import { linesIn } from "./lines.ts";
import { looksIn } from "./looks.ts";
import { mannersIn } from "./manners.ts";
import { setStage } from "./stage.ts";
import { startWebKit } from "./webkit.ts";

const stage = setStage(startWebKit);
for (const part of [looksIn, handsIn, mannersIn, linesIn]) part("WebKit", stage);
