/** Check 52 in the themes and directions that `states.test.ts` omits. */

import { axeTests } from "./axe.ts";
import { setUpTestbed } from "./testbed.ts";

axeTests(setUpTestbed(), {
  desktop: [
    ["light", "ltr"],
    ["light", "rtl"],
    ["dark", "ltr"],
  ],
  phone: [
    ["light", "rtl"],
    ["dark", "ltr"],
    ["dark", "rtl"],
  ],
  forms: [
    ["light", "rtl"],
    ["dark", "ltr"],
    ["dark", "rtl"],
  ],
});
