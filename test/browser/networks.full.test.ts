/** The slower network that `networks.test.ts` omits. */

import { setStage } from "./checks/stage.ts";
import { slowTests } from "./slow-network.ts";

slowTests(setStage(), [3]);
