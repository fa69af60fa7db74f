/** The whole conversation in WebKit, Safari's engine. */

import { conversationIn } from "./conversation.ts";
import { setStage } from "./stage.ts";
import { startWebKit } from "./webkit.ts";

conversationIn("WebKit", setStage(startWebKit));
