/** The chat in React: on the page for as long as this component is, with the settings that it is given. */

import { type MountOptions, mount } from "@porchlight/widget";
import { useEffect, useRef } from "react";

/** React mounts twice while developing; one after the other, the last word counts. */
let turn: Promise<unknown> = Promise.resolve();
const inTurn = (act: () => unknown): void => {
  turn = turn.then(act).catch(console.error);
};

/** Of two sets of settings: what is to be updated. One that is no longer given is as if it had never been. */
const changes = (before: object, now: object): object => ({
  ...Object.fromEntries(Object.keys(before).map((name) => [name, undefined])),
  ...now,
});

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
