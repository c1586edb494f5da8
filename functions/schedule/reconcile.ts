import { now } from '../../shared/clock.ts';
import { log } from '../../shared/log.ts';
import { uploadRecord, type Video } from '../../shared/records.ts';
import { getItems, queryIndex } from '../../shared/table/items.ts';
import { findVideo } from '../../shared/table/videos.ts';
import { mendChanges } from '../changes/mend-changes.ts';
import { isRunning, replayUpload, startRun } from '../executions.ts';
import { failVideo } from '../pipeline/fail.ts';
import { objectBytes } from '../store.ts';

/** Events are late by minutes at the most; what is older and still waits was lost. */
const patienceMilliseconds = 10 * 60_000;

/** Every quarter of an hour: finds what fell between two steps, and starts it again or ends it. */
export async function handler(): Promise<{ uploads: number; videos: number; changes: number }> {
  const mended = { uploads: await mendUploads(), videos: await mendVideos(), changes: await mendChanges() };
  log.info('reconciled', mended);
  return mended;
}

/** Uploads whose object is there while no video is: their event was lost. */
async function mendUploads(): Promise<number> {
  let mended = 0;
  for (const user of await queryIndex('byOwner', 'all#user')) {
    const open = await queryIndex('byOwner', `${String(user.pk).slice('USER#'.length)}#upload`);
    for (const item of await getItems(open)) {
      const upload = uploadRecord.parse(item);
      if (Date.parse(upload.createdAt) > now() - patienceMilliseconds) continue;
      if ((await objectBytes(upload.key)) === undefined) continue;
      await replayUpload(upload.key);
      mended++;
    }
  }
  return mended;
}

/** Videos in work that no execution works on. */
async function mendVideos(): Promise<number> {
  let mended = 0;
  for (const { ownerSort } of await queryIndex('byOwner', 'all#working')) {
    const video = await findVideo(String(ownerSort));
    if (video && (await mendVideo(video))) mended++;
  }
  return mended;
}

async function mendVideo(video: Video): Promise<boolean> {
  if (video.executionArn === null) {
    await startRun(video);
    return true;
  }
  if (await isRunning(video.executionArn)) return false;
  // The execution may have ended between the two reads.
  const current = await findVideo(video.ulid);
  if (current?.executionArn !== video.executionArn || current.status === 'completed' || current.status === 'failed')
    return false;
  await failVideo(video, 'INTERNAL: The processing was stopped. The video can be processed again.');
  return true;
}
