import type { Database } from './database.ts';

type Snapshot = ReturnType<Database['snapshot']>;

/** A snapshot that several reads use. It is closed after the last one. */
export type SharedSnapshot = { snapshot: Snapshot; hold(): void; release(): void };

export type IndexLag = ReturnType<typeof startIndexLag>;

const snapshotsAtOnce = 8;

/**
 * Keeps snapshots of the last `lagMs`. A read of an index takes one of them or the present state at random: it may miss
 * the newest writes, and a later read may miss what an earlier one has returned, as on AWS.
 */
export function startIndexLag(database: Database, lagMs: number) {
  const snapshots = [share(database.snapshot())];
  const timer = setInterval(() => {
    snapshots.push(share(database.snapshot()));
    if (snapshots.length > snapshotsAtOnce) snapshots.shift()!.release();
  }, lagMs / snapshotsAtOnce);
  timer.unref();
  return {
    /** Undefined for the present state. The caller releases it. */
    takeSnapshot(): SharedSnapshot | undefined {
      const shared = snapshots[Math.floor(Math.random() * (snapshots.length + 1))];
      shared?.hold();
      return shared;
    },
    stop(): void {
      clearInterval(timer);
      for (const shared of snapshots.splice(0)) shared.release();
    },
  };
}

function share(snapshot: Snapshot): SharedSnapshot {
  let holders = 1;
  return {
    snapshot,
    hold() {
      holders += 1;
    },
    release() {
      holders -= 1;
      if (holders === 0) void snapshot.close();
    },
  };
}
