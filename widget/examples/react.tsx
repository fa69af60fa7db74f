/** The chat in React: on the page for as long as this component is, with the settings that it is given. */

import { type MountOptions, mount } from "@porchlight/widget";
import { useEffect } from "react";

/** React mounts twice while developing; one after the other, the last word counts. */
let turn: Promise<unknown> = Promise.resolve();
const inTurn = (act: () => unknown): void => {
  turn = turn.then(act).catch(console.error);
};

export function Porchlight(settings: MountOptions): null {
  const { relay, site } = settings;
  const key = JSON.stringify(settings);
  useEffect(() => {
    inTurn(() => mount({ relay, ...(site && { site }) }));
    return () => inTurn(() => window.Porchlight?.("destroy"));
  }, [relay, site]);
  useEffect(() => inTurn(() => window.Porchlight?.("update", JSON.parse(key))), [key]);
  return null;
}
