/** More of the random sequences of `widget/src/conversation/fuzz.test.ts`. */

import { randomSequences } from "../widget/src/conversation/fuzz.fixture.ts";

randomSequences(4_000);
