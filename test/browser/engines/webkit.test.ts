/** The checks of WIDGET.md part 9 that depend on the engine, in WebKit, the engine of Safari. */

import { conversationIn } from "./conversation.ts";
import { setStage } from "./stage.ts";
import { startWebKit } from "./webkit.ts";

const stage = setStage(startWebKit);
conversationIn("WebKit", stage);
