import { now, timestamp } from '../../../shared/clock.ts';
import { outputPrefix, runPrefix, thumbnailsPrefix } from '../../../shared/object-keys.ts';
import { releaseSlot } from '../../admission/admission.ts';
import { startStorageDeliveries } from '../../aws/background-functions.ts';
import { deleteObjects } from '../../aws/object-store.ts';
import { extractedCaptions } from '../../captions/extracted-captions.ts';
import { publishCaptions } from '../../captions/publish-captions.ts';
import { registerEmbeddedCaptions } from '../../captions/register-embedded.ts';
import { removeUnplannedCaptions } from '../../captions/remove-unplanned.ts';
import { resultOf } from '../../job-results/job-results.ts';
import { originalWithWarnings } from '../../packaging/source-warnings.ts';
import { readPlan } from '../../stored-plans/stored-plans.ts';
import { findJobs, findJobsOfKind } from '../../table/jobs/job-table.ts';
import type { Job, StorageDelivery, Video } from '../../table/records.ts';
import { newStorageDelivery } from '../../table/storage-deliveries/new-storage-delivery.ts';
import { deletePartIds, finishVideo, replacedParts, type Thumbnails } from '../../table/videos/finish-video.ts';
import { forgetUploadOf } from '../../table/videos/replace-source.ts';
import { findVideo, type WholeVideo } from '../../table/videos/video-table.ts';
import { countStored } from '../../table/views/count-stored.ts';
import { deliverSchema, retentionSchema } from '../../templates/query-structure.ts';
import { requestCaptionsOfTemplate } from '../../transcription/request-of-template.ts';
import { originalChange } from './original-change.ts';
import { emitCompleted } from './video-metrics.ts';

/** Moves the video to completed, removes what its earlier plans made, and frees its slot. */
export async function completeVideo(whole: WholeVideo): Promise<void> {
  await publishPlan(whole);
  // Not when the video has failed since it was read: what its earlier plans made plays on then.
  if (await isPublished(whole)) {
    if (bringsSource(whole.video)) await showCaptionsOfSource(whole.video);
    await removeEarlierPlans(whole);
  }
  await countStored(whole.video.ulid);
  await releaseSlot(whole.video);
  await requestCaptionsOfTemplate(whole.video.ulid);
}

/** Also true for a call that repeats one which died after it had published the plan. */
const bringsSource = ({ sourceNumber, planNumber }: Video): boolean => sourceNumber === planNumber;

/**
 * While a source is being replaced, the captions stay those of the old one. `add-captions` adds those that are not
 * extracted yet.
 */
async function showCaptionsOfSource(video: Video): Promise<void> {
  const { ulid, planNumber } = video;
  const plan = await readPlan(ulid, planNumber);
  await removeUnplannedCaptions(video, plan.captions);
  const [job] = await findJobsOfKind(ulid, planNumber, 'text');
  if (job?.status === 'DONE' || job?.status === 'FAILED') {
    await registerEmbeddedCaptions(ulid, await extractedCaptions(ulid, planNumber, plan));
  }
  await publishCaptions(ulid);
}

/** One transaction: the video is completed, and the streams and outputs of earlier plans are gone from its record. */
async function publishPlan(whole: WholeVideo): Promise<void> {
  const { video } = whole;
  const jobs = await findJobs(video.ulid, video.planNumber);
  const done = jobs.filter(({ status }) => status === 'DONE');
  const made = await thumbnailsOf(video, done);
  // A poster of the source that is replaced is not one of the new source.
  const thumbnails = video.posterIsChosen && !video.replaced ? { ...made, thumbnailPath: video.thumbnailPath } : made;
  const original = originalChange(whole, originalWithWarnings(whole, done), null);
  const ends = { sourceDueAt: endOfSource(video), expiresAt: endOfVideo(video) };
  const deliveries = deliveriesOf(video);
  if (!(await finishVideo(whole, { status: 'completed', thumbnails, original, ...ends, deliveries }))) return;
  emitCompleted(video, done);
  if (deliveries.length > 0) await startStorageDeliveries({ userUlid: video.ownerUlid });
}

/** The copies that the template asks for. */
const deliveriesOf = (video: Video): StorageDelivery[] =>
  deliverSchema
    .parse(video.query?.deliver ?? [])
    .map(({ storage, ...target }) => newStorageDelivery(video, { storageUlid: storage, ...target }));

const dayMilliseconds = 86_400_000;

/** When the source of a video that is completed now is deleted. Undefined when its template keeps it. */
function endOfSource({ query }: Video): string | undefined {
  const { source } = retentionSchema.parse(query?.retention ?? {});
  if (source === 'keep') return undefined;
  return timestamp(now() + (source === 'delete' ? 0 : source.days * dayMilliseconds));
}

/** When a video that is completed for the first time now expires by its template. */
function endOfVideo({ query, firstCompletedAt }: Video): string | undefined {
  const { video_days: days } = retentionSchema.parse(query?.retention ?? {});
  if (days === undefined || firstCompletedAt !== undefined) return undefined;
  return timestamp(now() + days * dayMilliseconds);
}

/** Whether the video is completed with this plan: by this call, or by an earlier one that may have died after that. */
async function isPublished({ video: { ulid, planNumber } }: WholeVideo): Promise<boolean> {
  const current = await findVideo(ulid);
  return current?.status === 'completed' && current.planNumber === planNumber;
}

/** What the thumbnails job has made, by its keys; null for what it was not asked for or could not make. */
async function thumbnailsOf({ ulid, planNumber, sourceNumber = 0 }: Video, done: Job[]): Promise<Thumbnails> {
  const job = done.find((one) => one.kind === 'thumbnails');
  const { files = [] } = job ? await resultOf(job) : {};
  const keyOf = (name: RegExp): string | null => {
    const found = files.find(({ file }) => name.test(file));
    return found ? `${thumbnailsPrefix(ulid, sourceNumber)}${found.file}` : null;
  };
  const plan = keyOf(/^image-/) === null ? undefined : await readPlan(ulid, planNumber);
  const images = plan?.thumbnails && 'images' in plan.thumbnails ? plan.thumbnails.images : null;
  return {
    thumbnailPath: keyOf(/^poster\./),
    storyboardPath: keyOf(/^sprite\.vtt$/),
    previewPath: keyOf(/^preview\./),
    thumbnailImages: images
      ? {
          count: images.atSeconds.length,
          firstSeconds: images.firstSeconds,
          stepSeconds: images.stepSeconds,
          format: images.format,
        }
      : null,
  };
}

/** Deletes the ids and files of earlier plans, after no record shows them. */
async function removeEarlierPlans(whole: WholeVideo): Promise<void> {
  const { ulid, planNumber } = whole.video;
  const { outputs, streams } = replacedParts(whole);
  await deletePartIds({ outputs, streams });
  const plans = Array.from({ length: planNumber - 1 }, (_, index) => runPrefix(ulid, index + 1));
  const thumbnails = bringsSource(whole.video)
    ? Array.from({ length: planNumber }, (_, sourceNumber) => thumbnailsPrefix(ulid, sourceNumber))
    : [];
  const folders = [...plans, ...thumbnails, ...outputs.map((output) => outputPrefix(ulid, output.ulid))];
  await Promise.all(folders.map((folder) => deleteObjects(folder)));
  if (whole.video.replaced) await forgetUploadOf(whole.video.replaced.sourceKey);
}
