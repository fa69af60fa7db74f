import type { Page } from "playwright-core";

/**
 * Elements that must not be in the widget: links to other schemes, and elements and handlers that only markup could have
 * created.
 */
export const forbiddenElements = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const root = document.querySelector("porch-light")?.shadowRoot;
    const links = [...(root?.querySelectorAll("a") ?? [])].filter(
      ({ protocol, href }) => href && !["http:", "https:", "mailto:", "tel:"].includes(protocol),
    );
    const elements = [
      ...(root?.querySelectorAll("script,iframe,object,embed,style,link,.bubble img:not(.picture img)") ?? []),
    ];
    const handlers = [...(root?.querySelectorAll("*") ?? [])].filter((element) =>
      element.getAttributeNames().some((name) => name.startsWith("on")),
    );
    return [...links, ...elements, ...handlers].map((element) => element.outerHTML.slice(0, 200));
  });
