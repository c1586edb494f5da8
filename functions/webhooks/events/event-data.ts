import { serializeCaption } from '../../serializers/serialize-caption.ts';
import { serializeIngest } from '../../serializers/serialize-ingest.ts';
import { serializeNode } from '../../serializers/serialize-node.ts';
import { serializeStorageDelivery } from '../../serializers/serialize-storage-delivery.ts';
import { serializeUpload } from '../../serializers/serialize-upload.ts';
import { serializeStream, serializeVideo } from '../../serializers/serialize-video.ts';
import { findAnyIngest } from '../../table/ingests/ingest-table.ts';
import { findNode } from '../../table/nodes/node-table.ts';
import { videoRecord } from '../../table/records.ts';
import { findStorageDelivery } from '../../table/storage-deliveries/storage-delivery-table.ts';
import { findAnyTemplate } from '../../table/template-table.ts';
import { findAnyUpload } from '../../table/uploads/upload-table.ts';
import { findCaptions } from '../../table/videos/caption-table.ts';
import { findVideo, findWholeVideo, type WholeVideo } from '../../table/videos/video-table.ts';
import type { Event, EventSubject } from '../../table/webhooks/event-table.ts';
import { eventBody } from './event-body.ts';

type Data = Record<string, unknown>;
/** A part of a video. */
type Part = Extract<EventSubject, { videoUlid: string }>;

/** The text that the receivers of an event get. It has been made before when the event was dispatched. */
export const bodyOf = async (event: Event): Promise<string> =>
  event.body ?? eventBody(event.type, event.createdAt, { ...(await dataOf(event)), sequence: event.sequence });

/** The record of an event, as the API shows it now. Of a record that is gone, its ids. */
async function dataOf({ subject, lastRecord }: Event): Promise<Data> {
  switch (subject.kind) {
    case 'video':
      return lastRecord ? deletedVideo(lastRecord) : ((await videoData(subject.ulid)) ?? ids(subject));
    case 'output':
    case 'stream':
    case 'captions':
    case 'delivery':
      return (await partData(subject)) ?? ids(subject);
    case 'upload':
      return (await uploadData(subject.ulid)) ?? ids(subject);
    case 'node':
      return (await nodeData(subject.ulid)) ?? ids(subject);
    case 'ingest':
      return (await ingestData(subject.ulid)) ?? ids(subject);
  }
}

/** An event about an ingest reports its failure: nothing is stored then. */
async function ingestData(ulid: string): Promise<Data | undefined> {
  const ingest = await findAnyIngest(ulid);
  return ingest && serializeIngest(ingest, 0);
}

const ids = (subject: EventSubject): Data => ({
  ulid: subject.ulid,
  ...('videoUlid' in subject && { video_ulid: subject.videoUlid }),
});

async function videoData(ulid: string): Promise<Data | undefined> {
  const whole = await findWholeVideo(ulid);
  return whole && serializeVideo(whole, await findAnyTemplate(whole.video.templateUlid));
}

/** Streams and outputs of a deleted video are no event data: they are deleted with it. */
function deletedVideo(lastRecord: Data): Data {
  const video = videoRecord.parse(lastRecord);
  const whole = { video, streams: [], outputs: [], edits: [], done: {} };
  return { ...serializeVideo(whole, undefined), reason: video.deletionReason ?? 'requested' };
}

/** An output, stream, text track or storage delivery, with the ids by which the owner knows the video. */
async function partData(subject: Part): Promise<Data | undefined> {
  const whole = await findWholeVideo(subject.videoUlid);
  const part = whole && (await findPart(whole, subject));
  if (!part) return undefined;
  const { ulid, externalUserId, externalResourceId } = whole.video;
  return { ...part, video_ulid: ulid, externalUserId, externalResourceId };
}

/** Without the URL, which would give everyone who reads the event access to the files. */
async function captionData({ videoUlid, ulid }: Part): Promise<Data | undefined> {
  const { captions } = await findCaptions(videoUlid);
  const caption = captions.find((one) => one.ulid === ulid);
  return caption && serializeCaption(caption, captions);
}

async function findPart(whole: WholeVideo, subject: Part): Promise<Data | undefined> {
  const { kind, ulid } = subject;
  if (kind === 'captions') return captionData(subject);
  if (kind === 'delivery') {
    const delivery = await findStorageDelivery(ulid);
    return delivery && serializeStorageDelivery(delivery);
  }
  if (kind === 'output') return serializeVideo(whole, undefined).outputs.find((output) => output.ulid === ulid);
  const stream = whole.streams.find((one) => one.ulid === ulid);
  return stream && serializeStream(whole.video, stream);
}

async function uploadData(ulid: string): Promise<Data | undefined> {
  const upload = await findAnyUpload(ulid);
  if (!upload) return undefined;
  const video = await findVideo(upload.replaces ?? ulid);
  const { externalUserId, externalResourceId } = upload;
  const bytes = video?.sourceBytes ?? upload.sizeBytes ?? 0;
  return { ...serializeUpload(upload, bytes), externalUserId, externalResourceId };
}

async function nodeData(ulid: string): Promise<Data | undefined> {
  const node = await findNode(ulid);
  return node && serializeNode(node);
}
