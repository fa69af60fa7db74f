/** The chat as a React component: it is on the page while the component is mounted, and follows the component's settings. */

import { type MountOptions, mount } from "@porchlight/widget";
import { useEffect, useRef } from "react";

/** Runs actions one after another, because strict mode mounts twice. The last action decides. */
let turn: Promise<unknown> = Promise.resolve();
const inTurn = (act: () => unknown): void => {
  turn = turn.then(act).catch(console.error);
};

/** The settings to update after a render. A removed setting becomes `undefined`, which restores its default. */
const changes = (before: object, now: object): object => ({
  ...Object.fromEntries(Object.keys(before).map((name) => [name, undefined])),
  ...now,
});

/** Shows no element of its own. `relay` and `site` mount the chat again when they change; other settings update it. */
export function Porchlight({ relay, site, ...settings }: MountOptions): null {
  const now = JSON.stringify(settings);
  const before = useRef(now);
  useEffect(() => {
    inTurn(() => mount({ relay, ...(site && { site }), ...JSON.parse(before.current) }));
    return () => inTurn(() => window.Porchlight?.("destroy"));
  }, [relay, site]);
  useEffect(() => {
    const update = changes(JSON.parse(before.current), JSON.parse(now));
    before.current = now;
    inTurn(() => window.Porchlight?.("update", update));
  }, [now]);
  return null;
}
