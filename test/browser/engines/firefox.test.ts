/** The checks of WIDGET.md part 9 that depend on the engine, in Firefox. */

import { conversationIn } from "./conversation.ts";
import { startFirefox } from "./firefox.ts";
import { setStage } from "./stage.ts";

const stage = setStage(startFirefox);
conversationIn("Firefox", stage);
