import * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { plansPrefix, uploadFolder, videoPrefix, workPrefix } from '../../shared/object-keys.ts';
import { stopExecution } from '../aws/executions.ts';
import { abortStaleMultiparts, deleteObjects } from '../aws/object-store.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { log } from '../common/log.ts';
import { removeLostAttempts } from '../queue/expired-attempts.ts';
import { getItem, type Item, queryIndex, queryItems, writeBatch } from '../table/items/items.ts';
import { type Key, keys, owned } from '../table/items/keys.ts';
import { partIdKeys } from '../table/items/record-ids.ts';
import { cancelJob, findJobs } from '../table/queue/job-table.ts';
import { outputsRecord, streamsRecord, type Video, videoRecord } from '../table/records.ts';
import { dueRetirements } from '../table/videos/retired-files.ts';
import { endWaitingSweep } from '../table/videos/sweep-table.ts';
import { sweepWaiting } from './sweep-waiting.ts';

/**
 * Deletes files that were replaced, when no viewer can be reading them, and everything of deleted videos: jobs, files,
 * then records. The record by which a video is found is deleted last, so that a sweep that dies is repeated.
 */
export async function handler(raw?: unknown): Promise<void> {
  const { waiting } = input.parse(raw ?? {});
  const sweepNew = () => sweepWaiting(sweepFirst, parallelVideos);
  await forEachSettled(waiting ? [sweepNew] : [sweepNew, sweepDeleted, sweepRetired], (step) => step());
}

/** The first sweep of a deleted video. It is repeated while a worker may still be writing. */
async function sweepFirst(ulid: string): Promise<void> {
  const video = await getItem(videoRecord, keys.video(ulid));
  const isStillWritten = video?.deletedAt !== undefined && (await sweep(video));
  if (!isStillWritten) await endWaitingSweep(ulid);
}

const sweepDeleted = async (): Promise<void> =>
  forEachSettled(
    await queryIndex('byOwner', owned('all', 'deleted', '').ownerKey),
    async ({ ownerSort }) => {
      const video = await getItem(videoRecord, keys.video(String(ownerSort)));
      if (video?.deletedAt !== undefined) await sweep(video);
    },
    parallelVideos,
  );

const sweepRetired = async (): Promise<void> =>
  forEachSettled(await dueRetirements(), async ({ pk, sk, prefix, track, attemptsOf }) => {
    if (attemptsOf !== undefined) await removeLostAttempts(attemptsOf);
    // Below the prefix is one folder for each attempt at a job, and in that one for each track.
    const isOtherTrack = (key: string): boolean =>
      track !== undefined && key.slice(prefix?.length).split('/')[1] !== track;
    if (prefix !== undefined) await deleteObjects(prefix, isOtherTrack);
    await writeBatch([{ delete: { pk, sk } }]);
  });

/** Whether a worker held a lease of the video when the sweep began. */
async function sweep(video: Video): Promise<boolean> {
  const records = await queryItems(keys.video(video.ulid).pk);
  // A stream edit may have been claimed at the moment of the deletion.
  const edits = records.filter(({ kind }) => kind === 'stream-edit');
  for (const { executionArn } of [video, ...edits]) {
    if (executionArn) await stopExecution(String(executionArn), 'The video was deleted.');
  }
  await writeBatch(edits.map(({ pk, sk }) => ({ delete: { pk, sk } })));
  const planNumbers = Array.from({ length: video.lastPlanNumber + 1 }, (_, planNumber) => planNumber);
  const jobs = (await Promise.all(planNumbers.map((planNumber) => findJobs(video.ulid, planNumber)))).flat();
  await Promise.all(
    jobs.filter(({ status }) => status === 'QUEUED' || status === 'LEASED').map((job) => cancelJob(job)),
  );

  const isStillWritten = jobs.some(({ status }) => status === 'LEASED');

  // First the files that players open, so that playback cannot start while segments are deleted.
  await deleteObjects(videoPrefix(video.ulid), (key) => !entryFiles.test(key));
  const prefixes = [
    videoPrefix(video.ulid),
    plansPrefix(video.ulid),
    workPrefix(video.ulid),
    uploadFolder(video.sourceKey),
  ];
  const deleted = await Promise.all(prefixes.map((prefix) => deleteObjects(prefix)));
  await abortStaleMultiparts(videoPrefix(video.ulid), now());
  // A silent worker can write until its presigned URLs expire, within the hour. Later sweeps delete what it wrote.
  const isFinal = Date.parse(video.deletedAt ?? '') < now() - workerUrlMilliseconds;
  log.info('swept', { video: video.ulid, objects: deleted.reduce((sum, count) => sum + count, 0), isFinal });
  if (!isFinal) return isStillWritten;

  const items = records.filter(({ sk }) => sk !== keys.video('').sk).map(({ pk, sk }) => ({ pk, sk }));
  const remaining = [...items, ...partIds(video.ulid, records), ...jobs.map((job) => keys.job(job))];
  await writeBatch(remaining.map((key) => ({ delete: key })));
  await writeBatch([{ delete: keys.video(video.ulid) }]);
  return false;
}

/** The items that map the ids of streams and outputs to their video. */
function partIds(videoUlid: string, records: Item[]): Key[] {
  const itemWithSort = ({ sk }: Key): Item | undefined => records.find((item) => item.sk === sk);
  const { streams = {} } = streamsRecord.safeParse(itemWithSort(keys.streams(videoUlid))).data ?? {};
  const { outputs = {} } = outputsRecord.safeParse(itemWithSort(keys.outputs(videoUlid))).data ?? {};
  return partIdKeys({ streams: Object.values(streams), outputs: Object.values(outputs) });
}

const workerUrlMilliseconds = 65 * 60_000;

/** Manifests, init segments and progressive files. */
const entryFiles = /\.(m3u8|mpd|mp4|m4a)$/;

/** One video takes about a second. */
const parallelVideos = 8;

/** `waiting`: only first sweeps, for a deletion and each minute. Without it everything, every 15 minutes. */
const input = z.object({ waiting: z.literal(true).optional() });
