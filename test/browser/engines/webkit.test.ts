/** The checks of WIDGET.md part 9 that depend on the engine, with the whole conversation, in WebKit, Safari's engine. */

import { conversationIn } from "./conversation.ts";
import { handsIn } from "./hands.ts";
import { linesIn } from "./lines.ts";
import { looksIn } from "./looks.ts";
import { mannersIn } from "./manners.ts";
import { setStage } from "./stage.ts";
import { startWebKit } from "./webkit.ts";

const stage = setStage(startWebKit);
for (const part of [conversationIn, looksIn, handsIn, mannersIn, linesIn]) part("WebKit", stage);
