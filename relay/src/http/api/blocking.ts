import { z } from "zod";
import { op } from "./op.ts";
import { cursor, pageOf, reason, text } from "./schemas.ts";

export const block = z.object({
  id: z.string(),
  value: z.string().describe("A visitor's id, an address, or a block of addresses like 192.0.2.0/24"),
  reason: z.string(),
  actor: z.string(),
  at: z.string(),
});

/** Operations on the site's list of blocks. */
export const BLOCKS = {
  listBlocks: op({
    method: "get",
    path: "/blocks",
    scope: "visitors:read",
    summary: "Whom the site does not want, newest first",
    query: z.strictObject(cursor),
    answer: pageOf(block),
  }),
  addBlock: op({
    method: "post",
    path: "/blocks",
    scope: "visitors:block",
    summary:
      "Sends a visitor away, or everybody of an address or a block of addresses; nothing of theirs goes out any more",
    body: z.strictObject({
      value: text(64),
      reason,
      everybody: z
        .boolean()
        .default(false)
        .meta({ description: "Must be true for a block that holds nearly everybody, like 0.0.0.0/0" }),
    }),
    answer: block,
  }),
  removeBlock: op({
    method: "delete",
    path: "/blocks/{block}",
    scope: "visitors:block",
    summary: "Lets them in again",
    status: 204,
    answer: z.null(),
  }),
} as const;
