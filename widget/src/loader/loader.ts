/**
 * The tag's script: only a launcher and a command queue until the visitor wants to chat. It uses no framework, because visitors who
 * never chat load it too.
 */

import { pageDocument } from "./document.ts";
import { pageFunction } from "./page-api.ts";
import { pageLink } from "./shell.ts";
import { asked, fetchFile, own, relay, whenIdle } from "./tag.ts";
import { startWidget } from "./widget.ts";

const running = pageFunction()?.site;
if (running) {
  if (running !== own) console.warn("Porchlight", running);
  // `/widget.js` is one site's script; a tag that names another gets that one's, as a module, which needs no element. Where it
  // cannot be had, the browser has said so in the console: a word of ours would be the page's unhandled rejection besides.
} else if (asked !== own) fetchFile(`/w/${asked}.js`).catch(() => {});
else {
  try {
    startWidget();
  } catch {
    // An engine too old for the widget, without style sheets as objects (Safari before 16.4).
    whenIdle(() => pageDocument.body.append(pageLink(relay, own, "Chat")));
  }
}
