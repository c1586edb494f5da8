import signedUrl from '../../delivery/urls/signed-url.js';
import { now, nowSeconds } from '../../shared/clock.ts';
import { publicMarkerKey, videoPrefix } from '../../shared/object-keys.ts';
import { deleteObject, writeObject } from '../aws/object-store.ts';
import { forEachSettled, throwAggregate } from '../common/concurrency.ts';
import { log } from '../common/log.ts';
import { listActiveProxies } from '../table/nodes/node-lists.ts';
import type { ProxyNode } from '../table/nodes/proxy-cache.ts';
import type { Video } from '../table/records.ts';
import { findDeletedVideo } from '../table/videos/deleted-videos.ts';
import {
  claimPlaybackChange,
  endPlaybackChange,
  listPlaybackChanges,
  type PlaybackChange,
  postponePlaybackChange,
  releasePlaybackChange,
} from '../table/videos/playback-changes.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { endPublic, setPlayback } from './edge-keys.ts';
import { requestProxy } from './request-proxy.ts';
import { readSigningKeys } from './signing-keys.ts';

/**
 * Longer than an invocation may take from its read of the record to its last effect: one that read the record before
 * the change may overwrite the effects of it. A change is applied again when it is older than this.
 */
const settledMilliseconds = 60_000;
/** A proxy that is active but refuses denials for so long needs an operator. */
const givenUpMilliseconds = 86_400_000;
/** From one attempt to reach such a proxy to the next. */
const proxyMilliseconds = 10_000;
const parallelChanges = 8;
/** A proxy that does not answer keeps a batch waiting, but not the others. */
const parallelBatches = 4;
/** The edge accepts so many denials in one request. */
const changesAtOnce = 50;

/**
 * Makes every way of delivery do what the records of changed videos say: a deleted video is denied, a public one plays
 * without a signature. All effects can be repeated. A change whose application fails is applied again by the next
 * invocation.
 */
export async function applyPlaybackChanges(): Promise<void> {
  const first = await listPlaybackChanges();
  if (first.length <= changesAtOnce) return applyAll(first);
  const tried = new Set<string>();
  const failures: unknown[] = [];
  const applyNext = async (): Promise<void> => {
    for (;;) {
      // Again, since as many invocations as there are deletions claim changes at the same time.
      const changes = (await listPlaybackChanges()).filter(({ id }) => !tried.has(id));
      if (changes.length === 0) return;
      const batch = anyBatch(changes);
      for (const { id } of batch) tried.add(id);
      await applyAll(batch).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: parallelBatches }, applyNext));
  throwAggregate(failures);
}

/** Not the first one, which other invocations would claim too. */
function anyBatch(changes: readonly PlaybackChange[]): PlaybackChange[] {
  const at = changesAtOnce * Math.floor(Math.random() * Math.ceil(changes.length / changesAtOnce));
  return changes.slice(at, at + changesAtOnce);
}

type Claimed = { change: PlaybackChange; video: Video | undefined };

async function applyAll(changes: PlaybackChange[]): Promise<void> {
  const claimed: Claimed[] = [];
  await forEachSettled(
    changes,
    async (change) => {
      if (await claimPlaybackChange(change)) claimed.push({ change, video: await findVideo(change.videoUlid) });
    },
    parallelChanges,
  );
  const atEdge = claimed.filter(({ change }) => !change.isSettledAtEdge);
  const written = setPlayback({
    deleted: atEdge.flatMap(({ change, video }) => (video ? [] : change.videoUlid)),
    public: atEdge.flatMap(({ change, video }) => (isPublic(video) ? change.videoUlid : [])),
  });
  // Awaited with the other effects of each change; without this a failure would be an unhandled rejection.
  written.catch(() => {});
  await forEachSettled(
    claimed,
    async ({ change, video }) => {
      try {
        await apply(change, video, written);
      } catch (error) {
        await releasePlaybackChange(change);
        throw error;
      }
    },
    parallelChanges,
  );
}

const isPublic = (video: Video | undefined): boolean => video?.playback === 'public';

/** Applies a change, and ends or postpones it. A failure of one way of delivery does not stop the others. */
async function apply(change: PlaybackChange, video: Video | undefined, written: Promise<void>): Promise<void> {
  const { videoUlid, changedAt } = change;
  const settledAt = Date.parse(changedAt) + settledMilliseconds;
  const isSettled = now() >= settledAt;
  const results = await Promise.allSettled(change.isSettledAtEdge ? [] : effects(videoUlid, video, written));
  const waitingFor = video ? [] : await proxiesWithoutDenial(videoUlid);
  throwAggregate(results.flatMap((result) => (result.status === 'rejected' ? result.reason : [])));
  if (waitingFor.length > 0) log.warn('proxies do not deny a deleted video yet', { video: videoUlid, waitingFor });
  const isGivenUp = now() >= Date.parse(changedAt) + givenUpMilliseconds;
  if (isSettled && (waitingFor.length === 0 || isGivenUp)) await endPlaybackChange(change);
  else await postponePlaybackChange(change, waitingFor.length > 0 ? now() + proxyMilliseconds : settledAt, isSettled);
}

/** What the edge, or the proxies by the bucket, know of a video. */
function effects(videoUlid: string, video: Video | undefined, written: Promise<void>): (Promise<void> | undefined)[] {
  const marker = publicMarkerKey(videoUlid);
  if (isPublic(video)) return [written, writeObject(marker, 'public\n', 'text/plain')];
  const wasPublic = mayHaveBeenPublic(videoUlid, video);
  const end = async (effect: () => Promise<void>) => ((await wasPublic) ? effect() : undefined);
  return [video ? undefined : written, end(() => endPublic(videoUlid)), end(() => deleteObject(marker))];
}

/** A deleted video that was never public costs no write. */
async function mayHaveBeenPublic(videoUlid: string, video: Video | undefined): Promise<boolean> {
  const deleted = video ? undefined : await findDeletedVideo(videoUlid);
  return !deleted || deleted.wasPublic === true;
}

const lifetimeSeconds = 60;

/**
 * Has every active proxy deny a deleted video. A proxy that cannot reach the store would otherwise deliver its cached
 * files further. Returns the host names of the proxies that did not confirm.
 */
async function proxiesWithoutDenial(videoUlid: string): Promise<string[]> {
  const proxies = await listActiveProxies();
  if (proxies.length === 0) return [];
  const { current: keyId, keys } = await readSigningKeys();
  const path = signedUrl.signPath({
    keyId,
    secret: keys[keyId]!,
    expiresSeconds: nowSeconds() + lifetimeSeconds,
    session: signedUrl.denialSession,
    objectKey: `${videoPrefix(videoUlid)}all`,
  });
  const confirmed = await Promise.all(proxies.map((proxy) => isDenied(proxy, path)));
  return proxies.filter((_, index) => !confirmed[index]).map(({ hostname }) => hostname);
}

async function isDenied(proxy: ProxyNode, path: string): Promise<boolean> {
  const response = await requestProxy(proxy, { method: 'DELETE', path });
  response?.destroy();
  return response?.statusCode === 204;
}
