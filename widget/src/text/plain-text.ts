/** A reply as plain text: for screen readers, notifications and previews. */

import { parseInline, textOf } from "./inline.ts";

/** A reply as it is read aloud: without marks. Where the code for blocks cannot be had, their marks stay. */
export const plainText = async (reply: string): Promise<string> =>
  textOf(
    parseInline(
      await import("./without-blocks.ts").then(
        ({ withoutBlocks }) => withoutBlocks(reply),
        () => reply,
      ),
    ),
  );
