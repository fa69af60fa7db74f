/** Check 40 with more replies and rarer faults than in `message-order.test.ts`. */

import { repliesOverBadConnection } from "./bad-connection.ts";
import { setUpTestbed } from "./testbed.ts";

repliesOverBadConnection(setUpTestbed(), 1_000, 0.02);
