/** The slower network that `networks.test.ts` omits. */

import { setUpTestbed } from "./checks/testbed.ts";
import { slowTests } from "./slow-network.ts";

slowTests(setUpTestbed(), [3]);
