/** Check 52 in the two themes and directions that `states.test.ts` omits. */

import { axeTests } from "./axe.ts";
import { setStage } from "./stage.ts";

axeTests(setStage(), [
  ["light", "rtl"],
  ["dark", "ltr"],
]);
