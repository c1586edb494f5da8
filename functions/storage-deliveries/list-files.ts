import { isSegmented } from '../../shared/media/output-formats.ts';
import { captionSegmentsPrefix, deliveryPrefix, thumbnailsPrefix, videoPrefix } from '../../shared/object-keys.ts';
import { listObjects, objectBytes, writeObject } from '../aws/object-store.ts';
import { sha256 } from '../common/secret.ts';
import { contentsOf } from '../packaging/build-output.ts';
import { serializeVideo } from '../serializers/serialize-video.ts';
import type { Output, StorageDelivery } from '../table/records.ts';
import { findAnyTemplate } from '../table/template-table.ts';
import { findCaptions, type VideoCaptions } from '../table/videos/caption-table.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { type DeliveryLayout, layoutOf, pathInVideo } from './delivery-layout.ts';
import type { DeliveredFile } from './file-pages.ts';

/** A delivery that cannot begin. The message is `CODE: sentence`, for its owner. */
export class NothingToDeliver extends Error {
  override readonly name = 'NothingToDeliver';
}

/** In this order, so that a manifest never names a file that the storage does not have. */
const stages = { media: 0, beside: 1, playlist: 2, entry: 3 } as const;

type Listing = {
  whole: WholeVideo;
  delivery: StorageDelivery;
  layout: DeliveryLayout;
  captions: VideoCaptions['captions'];
  /** writes a file that is made for this delivery, with a name made from its content */
  write: (body: string, contentType: string) => Promise<{ source: string; bytes: number }>;
};

/**
 * The files of a delivery in the order in which they are copied. Manifests are made again for their paths in the
 * storage: they are relative, and name nothing outside of the copy.
 * @throws NothingToDeliver
 */
export async function listFiles(delivery: StorageDelivery, whole: WholeVideo): Promise<DeliveredFile[]> {
  const { captions } = await findCaptions(whole.video.ulid);
  const prefix = deliveryPrefix(whole.video.ulid, delivery.ulid);
  const listing: Listing = {
    whole,
    delivery,
    layout: layoutOf(whole.video.ulid, delivery.target),
    captions,
    write: async (body, contentType) => {
      const source = `${prefix}${sha256(body)}`;
      await writeObject(source, body, contentType);
      return { source, bytes: Buffer.byteLength(body) };
    },
  };
  const files: DeliveredFile[] = [];
  for (const output of chosenOutputs(listing)) files.push(...(await filesOfOutput(listing, output)));
  for (const extra of delivery.target.also) files.push(...(await extras[extra](listing)));
  // Outputs that share their files name them once each.
  const byPath = new Map(files.map((file) => [file.path, file]));
  if (byPath.size === 0) throw new NothingToDeliver('FILES_MISSING: The video has none of the files to copy.');
  return [...byPath.values()].toSorted((a, b) => a.stage - b.stage);
}

function chosenOutputs({ whole, delivery }: Listing): Output[] {
  const completed = whole.outputs.filter(({ status, entryKey }) => status === 'completed' && entryKey !== null);
  const { outputs } = delivery.target;
  if (outputs === '*') return completed;
  return outputs.map((name) => {
    const output = completed.find((one) => one.name === name);
    if (!output) throw new NothingToDeliver(`FILES_MISSING: The video has no completed output ${name}.`);
    return output;
  });
}

async function filesOfOutput(listing: Listing, output: Output): Promise<DeliveredFile[]> {
  const { whole, layout, captions, write } = listing;
  const { ulid } = whole.video;
  const folder = `${videoPrefix(ulid)}${layout.entryFolder(output.name)}`;
  const contents = await contentsOf(ulid, output, { folder, captions });
  const root = layout.outputRoot(output.name);
  const kept = (stage: number, { key, bytes }: { key: string; bytes: number }): DeliveredFile => ({
    source: key,
    path: `${root}${pathInVideo(ulid, key)}`,
    bytes,
    stage,
    replaceable: false,
  });
  if (!isSegmented(output.format)) {
    const path = `${root}${layout.entryFolder(output.name)}`;
    return contents.files.map(({ key, bytes }) => ({
      source: key,
      path: `${path}${key.slice(key.lastIndexOf('/') + 1)}`,
      bytes,
      stage: stages.media,
      replaceable: true,
    }));
  }
  const manifests = contents.manifests.map(async ({ key, body, contentType }): Promise<DeliveredFile> => {
    const written = await write(body, contentType);
    const stage = key === contents.entryKey ? stages.entry : stages.playlist;
    return { ...written, path: `${root}${pathInVideo(ulid, key)}`, stage, replaceable: true };
  });
  const texts = captions.flatMap(({ key, kind }) => (key === null || kind === 'chapters' ? [] : [key]));
  const textFiles = await Promise.all(
    texts.map((key) =>
      contents.subtitles ? listObjects(captionSegmentsPrefix(key, contents.subtitles.id)) : objectsOf([key]),
    ),
  );
  return [
    ...contents.files.map((file) => kept(stages.media, file)),
    ...textFiles.flat().map((file) => kept(stages.beside, file)),
    ...(await Promise.all(manifests)),
  ];
}

const objectsOf = async (found: readonly string[]): Promise<{ key: string; bytes: number }[]> =>
  (await Promise.all(found.map(async (key) => ({ key, bytes: await objectBytes(key) })))).flatMap(({ key, bytes }) =>
    bytes === undefined ? [] : [{ key, bytes }],
  );

const extras: Record<StorageDelivery['target']['also'][number], (listing: Listing) => Promise<DeliveredFile[]>> = {
  /** The poster, and what the thumbnails of the template are. */
  poster: async ({ whole: { video }, layout }) => {
    const found = await listObjects(thumbnailsPrefix(video.ulid, video.sourceNumber ?? 0));
    return found.flatMap(({ key, bytes }) => {
      const file = key.slice(key.lastIndexOf('/') + 1);
      const isPoster = key === video.thumbnailPath;
      if (/^poster[-.]/.test(file) && !isPoster) return [];
      const name = isPoster ? `poster${file.slice(file.lastIndexOf('.'))}` : `thumbnails/${file}`;
      return [beside(layout, { source: key, bytes }, name)];
    });
  },
  captions: async ({ captions, layout }) => {
    const stored = captions.flatMap(({ key, language, kind }) => (key === null ? [] : [{ key, language, kind }]));
    const sizes = await objectsOf(stored.map(({ key }) => key));
    return stored.flatMap(({ key, language, kind }) => {
      const bytes = sizes.find((one) => one.key === key)?.bytes;
      const name = `captions/${language}${kind === 'captions' ? '' : `.${kind}`}.vtt`;
      return bytes === undefined ? [] : [beside(layout, { source: key, bytes }, name)];
    });
  },
  original: async ({ whole: { video }, layout }) => {
    if (video.sourceDeletedAt !== undefined) {
      throw new NothingToDeliver('FILES_MISSING: The uploaded file of the video is deleted.');
    }
    const { sourceKey, sourceBytes } = video;
    const name = sourceKey.slice(sourceKey.lastIndexOf('/') + 1);
    return [beside(layout, { source: sourceKey, bytes: sourceBytes }, `original/${name}`)];
  },
  metadata: async ({ whole, layout, write }) => {
    const described = serializeVideo(whole, await findAnyTemplate(whole.video.templateUlid));
    const written = await write(`${JSON.stringify(described, null, 2)}\n`, 'application/json');
    return [beside(layout, written, 'metadata.json')];
  },
};

const beside = (
  { root }: DeliveryLayout,
  file: Pick<DeliveredFile, 'source' | 'bytes'>,
  name: string,
): DeliveredFile => ({ ...file, path: `${root}${name}`, stage: stages.beside, replaceable: true });
