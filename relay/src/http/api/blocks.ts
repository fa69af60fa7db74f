import type { z } from "zod";
import { RelayError } from "../../base/errors.ts";
import type { Database } from "../../db/database.ts";
import type { AccessPolicy } from "../../flows/access-policy.ts";
import { type Block, blocksPage } from "../../records/blocks.ts";
import { Problem } from "./problem.ts";
import type { Handlers } from "./router.ts";
import type { block } from "./schemas.ts";
import { actorOf, cursorOf, iso, pageWith } from "./views.ts";

/** A block as the API shows it. */
export const blockView = ({ id, value, reason, actor, at }: Block): z.output<typeof block> => ({
  id,
  value,
  reason,
  actor,
  at: iso(at),
});

/** The owner's list of blocks. */
export function blocks({ db, access }: { db: Database; access: AccessPolicy }) {
  return {
    async listBlocks({ site, query }) {
      const after = cursorOf<{ at: number; id: string }>(query.cursor, { at: "number", id: "text" });
      const rows = await blocksPage(db, { site: site.public.id, limit: query.limit + 1, ...(after && { after }) });
      return pageWith(rows, query.limit, blockView, ({ at, id }) => ({ at, id }));
    },
    async addBlock(call) {
      const { value, reason, everybody } = call.body;
      const added = await access.block({ site: call.site.public.id, value, reason, actor: actorOf(call) }, everybody);
      if (added === "too_broad")
        throw new Problem(
          "invalid_field",
          `${value} would block nearly all visitors. Set "everybody" to true to confirm.`,
          "everybody",
        );
      if (added === undefined)
        throw new Problem(
          "invalid_field",
          "value must be a visitor's id, an IP address, or a network like 192.0.2.0/24.",
          "value",
        );
      return blockView(added);
    },
    async removeBlock({ site, params }) {
      if (!(await access.unblock(site.public.id, params.block))) throw new RelayError("not_found");
      return null;
    },
  } satisfies Partial<Handlers>;
}
