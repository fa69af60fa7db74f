/**
 * The checks of WIDGET 9 that depend on the engine, in Firefox: `npm run test:full`. The tests in Chromium prove the
 * same in `npm test`.
 */

import { appearanceIn } from "./appearance.ts";
import { brokenConnectionsIn } from "./broken-connections.ts";
import { startFirefox } from "./firefox.ts";
import { hostPageIn } from "./host-page.ts";
import { inputIn } from "./input.ts";
import { mediaIn } from "./media.ts";
import { proactiveIn } from "./proactive.ts";
import { setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed(startFirefox);
for (const part of [appearanceIn, inputIn, hostPageIn, brokenConnectionsIn, mediaIn, proactiveIn])
  part("Firefox", testbed);
