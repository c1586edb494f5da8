import { now } from '../../shared/clock.ts';
import { log } from '../../shared/log.ts';
import { plansPrefix, videoPrefix, workPrefix } from '../../shared/object-keys.ts';
import { type Video, videoRecord } from '../../shared/records.ts';
import { getItem, queryIndex, queryItems, writeBatch } from '../../shared/table/items.ts';
import { cancelJob, findJobs } from '../../shared/table/jobs.ts';
import { keys } from '../../shared/table/keys.ts';
import { dueRetirements } from '../../shared/table/retired-files.ts';
import { stopRun } from '../executions.ts';
import { abortMultiparts, deleteObjects } from '../store.ts';

/** Removes files that were replaced, once no viewer needs them, and what is left of deleted videos: jobs, files, then records. The record that finds them goes last, so that a sweep that dies is repeated. */
export async function handler(): Promise<void> {
  for (const { ownerSort } of await queryIndex('byOwner', 'all#deleted')) {
    const video = await getItem(videoRecord, keys.video(String(ownerSort)));
    if (video?.deletedAt !== undefined) await sweep(video);
  }
  for (const { pk, sk, prefix, track } of await dueRetirements()) {
    // Folders below the prefix are attempts at jobs, and in them is one for each track.
    await deleteObjects(prefix, (key) => track !== undefined && key.slice(prefix.length).split('/')[1] !== track);
    await writeBatch([{ delete: { pk, sk } }]);
  }
}

async function sweep(video: Video): Promise<void> {
  if (video.executionArn !== null) await stopRun(video.executionArn, 'The video was deleted.');
  const runs = Array.from({ length: video.plans + 1 }, (_, run) => run);
  const jobs = (await Promise.all(runs.map((run) => findJobs(video.ulid, run)))).flat();
  await Promise.all(
    jobs.filter(({ status }) => status === 'QUEUED' || status === 'LEASED').map((job) => cancelJob(job)),
  );

  const prefixes = [videoPrefix(video.ulid), plansPrefix(video.ulid), workPrefix(video.ulid), video.sourceKey];
  const deleted = await Promise.all(prefixes.map((prefix) => deleteObjects(prefix)));
  await abortMultiparts(videoPrefix(video.ulid), now());
  // A worker that has not called since may still write with the URLs it holds. They end within the hour; the next sweeps find what it wrote.
  const ended = Date.parse(video.deletedAt ?? '') < now() - linger;
  log.info('swept', { video: video.ulid, objects: deleted.reduce((sum, count) => sum + count, 0), ended });
  if (!ended) return;

  const items = (await queryItems(keys.video(video.ulid).pk)).filter(({ sk }) => sk !== keys.video('').sk);
  const doomed = [...items.map(({ pk, sk }) => ({ pk, sk })), ...jobs.map((job) => keys.job(job))];
  await writeBatch(doomed.map((key) => ({ delete: key })));
  await writeBatch([{ delete: keys.video(video.ulid) }]);
}

const linger = 65 * 60_000;
