// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { element } from "./dom.ts";
import { tease } from "./teaser.ts";

/** Whether a teaser shows on a page that says so of consent. */
function shows(requireConsent: boolean | string | undefined): boolean {
  const host = document.body.appendChild(element("div"));
  const root = host.attachShadow({ mode: "open" });
  const [launcher, dialog] = [element("button"), element("dialog")];
  root.append(launcher, dialog);
  const settings = () => (requireConsent === undefined ? {} : { requireConsent });
  tease(element, { host, root, launcher, dialog, settings }, "Questions?");
  host.remove();
  return root.querySelector(".teaser") !== null;
}

it("keeps the punctuation of a text whose direction is not the page's", () => {
  const host = document.body.appendChild(element("div"));
  const root = host.attachShadow({ mode: "open" });
  const [launcher, dialog] = [element("button"), element("dialog")];
  root.append(launcher, dialog);
  tease(element, { host, root, launcher, dialog, settings: () => ({}) }, "Questions?");
  expect(root.querySelector(".teaser bdi")?.textContent).toBe("Questions?");
  host.remove();
});

it("shows where nobody has to agree first, and nowhere else, however the page says so", () => {
  expect([undefined, false, "false"].map(shows)).toEqual([true, true, true]);
  expect([true, "true", ""].map(shows)).toEqual([false, false, false]);
});
