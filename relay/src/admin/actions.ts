import type { Hono } from "hono";
import { itemsOf } from "./all-failed.ts";
import { type AdminApp, type AdminRouteDeps, actorOf, ownForm, recordAction } from "./context.ts";
import { discardAll, retryAll } from "./deliveries.ts";
import { decide } from "./ledger.ts";
import { messagePath } from "./paths.ts";
import { refuseForm } from "./show.ts";

/** The page to show after a form about deliveries: the message's page if the form is on it, otherwise the list. */
function pageAfter(form: URLSearchParams): string {
  const [visitor = "", id = ""] = (form.get("item") ?? "").split(" ");
  return form.get("from") === "message" ? messagePath(visitor, id) : "/admin/deliveries";
}

/** Adds the actions of admins. Each action is sent by a form, and adds an entry to the audit log. */
export function addActions(app: Hono<AdminApp>, routeDeps: AdminRouteDeps): void {
  const { deps } = routeDeps;
  /** Adds an action that only a form of an admin's session may start. */
  const action = (path: string, act: (form: URLSearchParams, actor: string) => Promise<string>): void =>
    void app.post(path, async (c) => {
      const form = await ownForm(c, routeDeps);
      if (c.var.viewer.role !== "admin") return refuseForm(c, "reader");
      if (form === undefined) return refuseForm(c, "other session");
      return c.redirect(await act(form, actorOf(c, routeDeps)), 303);
    });
  action("/admin/deliveries/retry", async (form, actor) => {
    const { retried, full } = await retryAll(deps, await itemsOf(deps, form), actor);
    return `${pageAfter(form)}?retried=${retried}${full > 0 ? `&full=${full}` : ""}`;
  });
  action("/admin/deliveries/discard", async (form, actor) => {
    return `${pageAfter(form)}?discarded=${await discardAll(deps, await itemsOf(deps, form), actor)}`;
  });
  action("/admin/ledger/decide", async (form, actor) => {
    const { outcome, key, decision } = await decide(deps, form, actor);
    if (outcome === "done") await recordAction(routeDeps, actor, `ledger: ${decision}`, key);
    return `/admin/ledger?${new URLSearchParams({ outcome, key }).toString()}`;
  });
}
