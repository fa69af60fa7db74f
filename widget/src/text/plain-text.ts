/** A reply as plain text: for screen readers, notifications and previews. */

import { parseInline, textOf } from "./inline.ts";

/** A reply as screen readers read it: without marks. If the code for blocks cannot be loaded, their marks stay. */
export const plainText = async (reply: string): Promise<string> =>
  textOf(
    parseInline(
      await import("./without-blocks.ts").then(
        ({ withoutBlocks }) => withoutBlocks(reply),
        () => reply,
      ),
    ),
  );
