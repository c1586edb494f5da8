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

/** Removes files that were replaced, once no viewer needs them, and what is left of deleted videos: jobs, files, then records. The record that finds them goes last, so that a sweep that dies is repeated. */
export async function handler(raw?: unknown): Promise<void> {
  const { waiting } = input.parse(raw ?? {});
  const sweepFirst = () => sweepWaiting(sweepAtOnce, videosAtOnce);
  await forEachSettled(waiting ? [sweepFirst] : [sweepFirst, sweepDeleted, sweepRetired], (sweepSome) => sweepSome());
}

/** The first sweep of a video. While a worker may be writing still, the video waits for the next one. */
async function sweepAtOnce(ulid: string): Promise<void> {
  const video = await getItem(videoRecord, keys.video(ulid));
  const isWritten = video?.deletedAt !== undefined && (await sweep(video));
  if (!isWritten) await endWaitingSweep(ulid);
}

const sweepDeleted = async (): Promise<void> =>
  forEachSettled(
    await queryIndex('byOwner', owned('all', 'deleted', '').ownerKey),
    async ({ ownerSort }) => {
      const video = await getItem(videoRecord, keys.video(String(ownerSort)));
      if (video?.deletedAt !== undefined) await sweep(video);
    },
    videosAtOnce,
  );

const sweepRetired = async (): Promise<void> =>
  forEachSettled(await dueRetirements(), async ({ pk, sk, prefix, track, attemptsOf }) => {
    if (attemptsOf !== undefined) await removeLostAttempts(attemptsOf);
    // Folders below the prefix are attempts at jobs, and in them is one for each track.
    const isOther = (key: string): boolean => track !== undefined && key.slice(prefix?.length).split('/')[1] !== track;
    if (prefix !== undefined) await deleteObjects(prefix, isOther);
    await writeBatch([{ delete: { pk, sk } }]);
  });

/** Whether a worker had a job of the video when it began. */
async function sweep(video: Video): Promise<boolean> {
  const records = await queryItems(keys.video(video.ulid).pk);
  // A change may have been taken up in the moment in which the video was deleted.
  const changes = records.filter(({ kind }) => kind === 'stream-edit');
  for (const { executionArn } of [video, ...changes]) {
    if (executionArn) await stopExecution(String(executionArn), 'The video was deleted.');
  }
  await writeBatch(changes.map(({ pk, sk }) => ({ delete: { pk, sk } })));
  const runs = Array.from({ length: video.lastPlanNumber + 1 }, (_, planNumber) => planNumber);
  const jobs = (await Promise.all(runs.map((planNumber) => findJobs(video.ulid, planNumber)))).flat();
  await Promise.all(
    jobs.filter(({ status }) => status === 'QUEUED' || status === 'LEASED').map((job) => cancelJob(job)),
  );

  const isWritten = jobs.some(({ status }) => status === 'LEASED');

  // Without these nobody begins to play, however many segments there are to remove.
  await deleteObjects(videoPrefix(video.ulid), (key) => !opensPlayback.test(key));
  const prefixes = [
    videoPrefix(video.ulid),
    plansPrefix(video.ulid),
    workPrefix(video.ulid),
    uploadFolder(video.sourceKey),
  ];
  const deleted = await Promise.all(prefixes.map((prefix) => deleteObjects(prefix)));
  await abortStaleMultiparts(videoPrefix(video.ulid), now());
  // A worker that has not called since may still write with the URLs it holds. They end within the hour; the next sweeps find what it wrote.
  const ended = Date.parse(video.deletedAt ?? '') < now() - linger;
  log.info('swept', { video: video.ulid, objects: deleted.reduce((sum, count) => sum + count, 0), ended });
  if (!ended) return isWritten;

  const items = records.filter(({ sk }) => sk !== keys.video('').sk).map(({ pk, sk }) => ({ pk, sk }));
  const doomed = [...items, ...partIds(video.ulid, records), ...jobs.map((job) => keys.job(job))];
  await writeBatch(doomed.map((key) => ({ delete: key })));
  await writeBatch([{ delete: keys.video(video.ulid) }]);
  return false;
}

/** The items that lead from the ids of streams and outputs to their video. */
function partIds(videoUlid: string, records: Item[]): Key[] {
  const behind = ({ sk }: Key): Item | undefined => records.find((item) => item.sk === sk);
  const { streams = {} } = streamsRecord.safeParse(behind(keys.streams(videoUlid))).data ?? {};
  const { outputs = {} } = outputsRecord.safeParse(behind(keys.outputs(videoUlid))).data ?? {};
  return partIdKeys({ streams: Object.values(streams), outputs: Object.values(outputs) });
}

const linger = 65 * 60_000;

/** Manifests, init segments and progressive files. */
const opensPlayback = /\.(m3u8|mpd|mp4|m4a)$/;

/** Each takes the store about a second. */
const videosAtOnce = 8;

/** What a deletion and the minute tick ask for is the first sweep of videos; the quarter of an hour asks for all. */
const input = z.object({ waiting: z.literal(true).optional() });
