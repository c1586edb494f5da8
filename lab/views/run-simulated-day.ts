import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createObject } from '../../functions/aws/object-store.ts';
import { mapBounded } from '../../functions/common/concurrency.ts';
import { handler } from '../../functions/delivery/count-accesses.lambda.ts';
import { keys } from '../../functions/table/items/keys.ts';
import type { User, Video } from '../../functions/table/records.ts';
import { listAnalytics } from '../../functions/table/statistics/analytics-table.ts';
import { listUsage } from '../../functions/table/statistics/usage-table.ts';
import { listVideoDays, sumOfDays } from '../../functions/table/views/video-days.ts';
import { day } from '../../shared/clock.ts';
import { accessLogPrefix, edgeLogsPrefix } from '../../shared/object-keys.ts';
import { createPerson } from '../../test/fixtures/create-person.ts';
import { storeWatchedVideo } from '../../test/fixtures/records/watched-video.ts';
import type { Meter } from '../scale/table/meter.ts';
import { createRandom } from '../simulate/events.ts';
import { createLogFiles } from './log-files.ts';
import { type SimulatedVideo, simulateDay, type VideoKind } from './simulated-day.ts';

export type DayOptions = { sessions: number; videos: number; users: number; periods: number; seed: number };

export type DayResult = {
  requests: number;
  logs: number;
  calls: number;
  views: number;
  /** videos of logs, and sessions of logs: a session that is in two logs is two */
  parts: { videos: number; sessions: number };
  units: Units;
  /** what is not as it must be, at most ten of them */
  differences: string[];
};

/** Capacity units: `sessions` those of the items of sessions, `others` all other ones. */
type Units = Record<'sessions' | 'others', { reads: number; writes: number }>;

const repeatedShare = 0.05;
const logsAtOnce = 2;
const maxAttempts = 5;
/** On a busy machine, the other call is in the middle of a transaction for seconds. */
const pauseMs = 1000;

/**
 * Counts a simulated day from its logs, in random order, some of them several times, and compares the figures with what
 * was simulated. The table is that of the environment; the meter counts what its requests take.
 */
export async function runSimulatedDay(options: DayOptions, meter: Meter, print: (line: string) => void) {
  const { sessions, seed, periods } = options;
  const startMs = Date.parse(day(Date.now() - 86_400_000));
  const date = day(startMs);
  const folder = await mkdtemp(join(tmpdir(), 'views-'));
  try {
    const videos = await storeVideos(options);
    print(`${videos.length} videos are stored`);
    const files = createLogFiles(folder, { startMs, periods });
    const truth = simulateDay({ videos, sessions, seed, startMs }, files.add);
    const logs = files.close();
    print(`${sessions} sessions have made ${truth.requests} requests in ${logs.length} logs`);
    const random = createRandom(seed + 1);
    const shuffled = logs.map((log) => ({ log, order: random() })).sort((a, b) => a.order - b.order);
    meter.start();
    let calls = 0;
    let counted = 0;
    const invoke = async (key: string): Promise<void> => {
      const repeats = random() < repeatedShare ? 2 : 1;
      calls += repeats;
      await Promise.all(Array.from({ length: repeats }, () => callUntilDone(key)));
    };
    await mapBounded(
      shuffled,
      async ({ log: { key, read } }) => {
        await createObject(key, await read(), 'application/gzip');
        await invoke(key);
        const isConverted = key.startsWith(edgeLogsPrefix);
        if (isConverted) await invoke(`${accessLogPrefix('edge')}${key.slice(key.lastIndexOf('/') + 1)}`);
        counted += 1;
        if (counted % 20 === 0) print(`${counted} of ${logs.length} logs are counted`);
      },
      logsAtOnce,
    );
    const units = unitsOf(meter);
    const differences: string[] = [];
    const compare = (name: string, found: unknown, expected: unknown): void => {
      const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
      if (a !== b && differences.length < 10) differences.push(`${name}: ${a} instead of ${b}`);
    };
    const owners = new Map<string, number[]>();
    const totals = [0, 0, 0];
    for (const { ulid, owner } of videos) {
      const expected = truth.videos.get(ulid)!;
      compare(ulid, (await listVideoDays(ulid, date, date)).get(date) ?? sumOfDays([]), expected);
      const sums = owners.get(owner) ?? [0, 0, 0];
      owners.set(owner, sums);
      [expected.bytes, expected.views, expected.watchedMilliseconds].forEach((value, index) => {
        sums[index]! += value;
        totals[index]! += value;
      });
    }
    for (const [owner, sums] of owners) {
      const used = await listUsage(owner, date, date);
      const metrics = ['delivered_bytes', 'views', 'watched_seconds'];
      const found = metrics.map((name) => used.find(({ metric }) => metric === name)?.value ?? 0);
      compare(`user ${owner}`, found, sums);
    }
    const stage = (await listAnalytics(date, date)).get(date);
    compare('stage', [stage?.sessions, stage?.bytes, stage?.views, stage?.watchedMs], [truth.sessions, ...totals]);
    const [, views = 0] = totals;
    const result: DayResult = {
      requests: truth.requests,
      logs: logs.length,
      calls,
      views,
      parts: files.parts(),
      units,
      differences,
    };
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function unitsOf(meter: Meter): Units {
  const units: Units = { sessions: { reads: 0, writes: 0 }, others: { reads: 0, writes: 0 } };
  const { pk: sessionKey } = keys.playback('');
  for (const { name, reads, writes } of meter.counted().keys) {
    const part = units[name.startsWith(`table ${sessionKey}`) ? 'sessions' : 'others'];
    part.reads += reads;
    part.writes += writes;
  }
  return units;
}

/** Lambda calls a function again that has failed, here because of another call for the same log. */
async function callUntilDone(key: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await handler({ detail: { object: { key } } });
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      await sleep(pauseMs * attempt);
    }
  }
}

const kinds: VideoKind[] = ['cmaf', 'cmaf', 'cmaf', 'cmaf', 'transport-stream', 'sound', 'mp4'];

async function storeVideos({ videos, users, seed }: DayOptions): Promise<SimulatedVideo[]> {
  const random = createRandom(seed + 2);
  const owners: User[] = [];
  for (let number = 0; number < users; number++) owners.push((await createPerson()).user);
  const wanted = Array.from({ length: videos }, (_, number) => {
    const kind = kinds[number % kinds.length]!;
    // Whole slots of a second or two have their middles in the same segments as each moment in them.
    const seconds = kind === 'mp4' ? 600 : 2 * (30 + Math.floor(random() * (number % 20 === 0 ? 4000 : 900)));
    return { kind, seconds, isPublic: random() < 0.3, owner: owners[number % owners.length]! };
  });
  return mapBounded(
    wanted,
    async ({ kind, seconds, isPublic, owner }) => {
      const changes: Partial<Video> = {
        durationSeconds: seconds,
        externalUserId: null,
        ...(kind === 'sound' && { aspectRatio: null }),
        ...(isPublic && { playback: 'public' as const }),
      };
      const { ulid } = await storeWatchedVideo(owner, changes);
      return { ulid, kind, seconds, isPublic, owner: owner.ulid };
    },
    8,
  );
}
