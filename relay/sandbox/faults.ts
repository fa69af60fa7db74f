/** Faults on demand: scripted ones (`failNext`), random ones (`errorRate`) and fixed ones (`forceStatus`). */

import type { Fault, FaultRoute, RouteName } from "./fault.ts";
import type { SandboxConfig } from "./options.ts";
import type { Random } from "./random.ts";

export type Faults = {
  /** The next `n` requests of `route` get `fault`. Several scripts apply one after the other. */
  failNext(route: FaultRoute, n: number, fault: Fault): void;
  /** The fault for this request, if any. Order: scripts, `redirectOnce`, `forceStatus`, `errorRate`. */
  take(route: RouteName | undefined): Fault | undefined;
  clear(): void;
};

type Script = { route: FaultRoute; left: number; fault: Fault };

/** @param random decides which requests meet a fault of `errorRate` */
export function createFaults(config: SandboxConfig, random: Random): Faults {
  let scripts: Script[] = [];
  const hits = (pattern: FaultRoute, route: RouteName | undefined) => pattern === "*" || pattern === route;

  function scriptedFault(route: RouteName | undefined): Fault | undefined {
    const script = scripts.find((each) => hits(each.route, route));
    if (script === undefined) return undefined;
    script.left -= 1;
    if (script.left <= 0) scripts = scripts.filter((each) => each !== script);
    return script.fault;
  }

  function redirectFault(): Fault | undefined {
    if (config.redirectOnce === "") return undefined;
    const location = config.redirectOnce;
    config.redirectOnce = "";
    return { kind: "status", status: 307, headers: { Location: location } };
  }

  function forcedFault(route: RouteName | undefined): Fault | undefined {
    const status = (route && config.forceStatus[route]) ?? config.forceStatus["*"];
    return status === undefined ? undefined : { kind: "status", status };
  }

  function randomFault(route: RouteName | undefined): Fault | undefined {
    if (config.errorRate.length === 0) return undefined;
    let remaining = random();
    for (const rule of config.errorRate) {
      if (!hits(rule.route, route)) continue;
      remaining -= rule.rate;
      if (remaining < 0) return rule;
    }
    return undefined;
  }

  return {
    failNext(route, n, fault) {
      if (n > 0) scripts.push({ route, left: n, fault });
    },
    take: (route) => scriptedFault(route) ?? redirectFault() ?? forcedFault(route) ?? randomFault(route),
    clear() {
      scripts = [];
    },
  };
}
