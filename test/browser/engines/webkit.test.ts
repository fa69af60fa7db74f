/** The whole conversation in WebKit, Safari's engine. */

import { conversationIn } from "./conversation.ts";
import { setUpTestbed } from "./testbed.ts";
import { startWebKit } from "./webkit.ts";

conversationIn("WebKit", setUpTestbed(startWebKit));
