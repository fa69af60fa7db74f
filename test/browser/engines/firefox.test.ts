/** The whole conversation in Firefox. */

import { conversationIn } from "./conversation.ts";
import { startFirefox } from "./firefox.ts";
import { setUpTestbed } from "./testbed.ts";

conversationIn("Firefox", setUpTestbed(startFirefox));
