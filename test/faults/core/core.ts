/** The modules under test. A mutant run loads them from a changed copy of the relay's sources. */
export async function loadCore(root: string) {
  const from = <T>(path: string): Promise<T> => import(`${root}/${path}`) as Promise<T>;
  return {
    ...(await from<typeof import("../../../relay/src/db/sqlite.ts")>("db/sqlite.ts")),
    ...(await from<typeof import("../../../relay/src/db/migrate.ts")>("db/migrate.ts")),
    ...(await from<typeof import("../../../relay/src/bus/bus.ts")>("bus/bus.ts")),
    ...(await from<typeof import("../../../relay/src/records/sites.ts")>("records/sites.ts")),
    ...(await from<typeof import("../../../relay/src/flows/session/session.ts")>("flows/session/session.ts")),
    ...(await from<typeof import("../../../relay/src/flows/send/send.ts")>("flows/send/send.ts")),
    ...(await from<typeof import("../../../relay/src/flows/intake/replies.ts")>("flows/intake/replies.ts")),
    ...(await from<typeof import("../../../relay/src/flows/courier/courier.ts")>("flows/courier/courier.ts")),
    ...(await from<typeof import("../../../relay/src/socket/connections.ts")>("socket/connections.ts")),
    ...(await from<typeof import("../../../relay/src/socket/frames.ts")>("socket/frames.ts")),
    ...(await from<typeof import("../../../relay/src/flows/forget.ts")>("flows/forget.ts")),
    ...(await from<typeof import("../../../relay/src/base/limiter.ts")>("base/limiter.ts")),
    ...(await from<typeof import("../../../relay/src/service/gates.ts")>("service/gates.ts")),
    ...(await from<typeof import("../../../relay/src/service/callbacks.ts")>("service/callbacks.ts")),
    ...(await from<typeof import("../../../relay/src/base/log.ts")>("base/log.ts")),
    ...(await from<typeof import("../../../relay/src/db/backup.ts")>("db/backup.ts")),
    ...(await from<typeof import("../../../relay/src/db/spool.ts")>("db/spool.ts")),
    ...(await from<typeof import("../../../relay/src/db/lease-names.ts")>("db/lease-names.ts")),
    ...(await from<typeof import("../../../relay/src/db/leases.ts")>("db/leases.ts")),
    ...(await from<typeof import("../../../relay/src/db/paces.ts")>("db/paces.ts")),
    ...(await from<typeof import("../../../relay/src/bus/cluster.ts")>("bus/cluster.ts")),
    ...(await from<typeof import("../../../relay/src/records/visitors.ts")>("records/visitors.ts")),
  };
}

export type Core = Awaited<ReturnType<typeof loadCore>>;
