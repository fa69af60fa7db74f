/**
 * The tag's script: only a launcher and a command queue until the visitor wants to chat. It uses no framework, because visitors
 * who never chat load it too.
 */

import { pageDocument } from "./document.ts";
import { pageFunction } from "./page-api.ts";
import { pageLink } from "./page-link.ts";
import { fetchFile, siteId, tagSite, whenIdle } from "./tag.ts";
import { startWidget } from "./widget.ts";

// The first tag of a page runs. `settings/check-settings.ts` tells developers when a second tag names another site.
if (!pageFunction()?.site)
  if (tagSite === siteId) start();
  // `/widget.js` is one site's script. A tag that names another site gets that site's script, as a module, which needs no
  // element. If it cannot be fetched, the browser says so in the console.
  else fetchFile(`/w/${tagSite}.js`).catch(() => {});

function start(): void {
  try {
    startWidget();
  } catch {
    // An engine too old for the widget, without style sheets as objects (Safari before 16.4).
    whenIdle(() => pageDocument.body.append(pageLink("Chat")));
  }
}
