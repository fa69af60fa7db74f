/** Check 52 in the two looks that `states.test.ts` leaves out. */

import { axeTests } from "./axe.ts";
import { setStage } from "./stage.ts";

axeTests(setStage(), [
  ["light", "rtl"],
  ["dark", "ltr"],
]);
