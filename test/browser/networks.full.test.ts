/** The slower network that `networks.test.ts` leaves out. */

import { setStage } from "./checks/stage.ts";
import { slowTests } from "./slow-network.ts";

slowTests(setStage(), [3]);
