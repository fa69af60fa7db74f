// @vitest-environment happy-dom
import { expect, it, vi } from "vitest";
import { createFixture, drawn } from "../base/ui.fixture.ts";
import { isolateFromPage } from "./host-page.ts";

it("leaves a removed element out of the page if the widget is destroyed while the code that puts it back is loading", async () => {
  const on = await createFixture();
  const { host } = on.ui.shell;
  const stop = isolateFromPage(on.ui.shell, vi.fn());
  host.remove();
  // By now the observer has noticed the removal, and fetches the code.
  await Promise.resolve();
  stop();
  await import("./page-modals.ts");
  await drawn();
  await drawn();
  expect(host.isConnected).toBe(false);
  on.stop();
});
