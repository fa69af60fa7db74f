/** The whole conversation in Firefox. */

import { conversationIn } from "./conversation.ts";
import { startFirefox } from "./firefox.ts";
import { setStage } from "./stage.ts";

conversationIn("Firefox", setStage(startFirefox));
