import { manifestsPrefix } from '../../shared/object-keys.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { objectBytes, writeObject } from '../aws/object-store.ts';
import { mapBounded } from '../common/concurrency.ts';
import { finishedTracks } from '../job-results/finished-tracks.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import type { Output } from '../table/records.ts';
import { findCaptions, type VideoCaptions } from '../table/videos/caption-table.ts';
import { storeSubtitles } from './captions/store-subtitles.ts';
import { type OutputContents, progressiveOutput, segmentedOutput, transportStreamOutput } from './output-contents.ts';

export type BuiltOutput = { entryKey: string; bytes: number; captionsVersion: number };

/**
 * Checks that every media file of an output is stored with the size that its job reported, and writes its manifests as
 * a plan describes it. The one that players open comes last: it may replace that of a running output, and names the
 * others. `bytes` counts media files and manifests.
 * @throws JobError OUTPUT_MISMATCH
 */
export async function buildOutput(videoUlid: string, planNumber: number, output: Output): Promise<BuiltOutput> {
  const folder = manifestsPrefix(videoUlid, output.ulid, planNumber);
  const captions = await findCaptions(videoUlid);
  const contents = await outputContents(videoUlid, planNumber, output, { folder, ...captions });
  await checkFiles(contents.files);
  return writeManifests(contents, captions);
}

/**
 * Writes the manifests of a completed output again, with the present captions, into a folder of their own. Its media
 * files stay as they are.
 */
export async function rebuildManifests(
  videoUlid: string,
  output: Output,
  captions: VideoCaptions,
): Promise<BuiltOutput> {
  const folder = manifestsPrefix(videoUlid, output.ulid, output.builtByPlan, captions.version);
  const contents = await outputContents(videoUlid, output.builtByPlan, output, { folder, ...captions });
  return writeManifests(contents, captions);
}

/** What a completed output consists of, with manifests for another folder. Subtitles for their playlists are stored. */
export async function contentsOf(
  videoUlid: string,
  output: Output,
  { folder, captions }: { folder: string; captions: VideoCaptions['captions'] },
): Promise<OutputContents> {
  const contents = await outputContents(videoUlid, output.builtByPlan, output, { folder, captions });
  await writeSubtitles(contents, captions);
  return contents;
}

async function writeSubtitles({ subtitles }: OutputContents, captions: VideoCaptions['captions']): Promise<void> {
  const shown = captions.flatMap(({ key, kind }) => (key === null || kind === 'chapters' ? [] : [key]));
  if (subtitles) await mapBounded(shown, (key) => storeSubtitles(key, subtitles), parallelCaptions);
}

async function writeManifests(contents: OutputContents, { captions, version }: VideoCaptions): Promise<BuiltOutput> {
  const { entryKey, manifests, files } = contents;
  await writeSubtitles(contents, captions);
  const { true: entry = [], false: others = [] } = Object.groupBy(manifests, ({ key }) => `${key === entryKey}`);
  for (const written of [others, entry]) {
    await Promise.all(written.map(({ key, body, contentType }) => writeObject(key, body, contentType)));
  }
  const sizes = [...files.map(({ bytes }) => bytes), ...manifests.map(({ body }) => Buffer.byteLength(body))];
  return { entryKey, bytes: sizes.reduce((sum, one) => sum + one, 0), captionsVersion: version };
}

/** Each may be divided into hundreds of files. */
const parallelCaptions = 4;

async function outputContents(
  videoUlid: string,
  planNumber: number,
  output: Output,
  { folder, captions }: Pick<VideoCaptions, 'captions'> & { folder: string },
): Promise<OutputContents> {
  const plan = await readPlan(videoUlid, planNumber);
  const group = plan.outputs.findIndex(({ name }) => name === output.name);
  const planned = plan.outputs[group];
  if (!planned) throw new Error(`plan ${planNumber} has no output ${output.name}`);
  if (planned.container === 'mp4') return progressiveOutput({ videoUlid, planNumber, group });
  const tracks = await finishedTracks(videoUlid, planNumber, plan);
  if (planned.container === 'ts')
    return transportStreamOutput({ videoUlid, planNumber, group, folder, planned, tracks, captions });
  return segmentedOutput({ folder, planned, tracks, durationSeconds: plan.durationSeconds, captions });
}

const parallelChecks = 16;

async function checkFiles(files: OutputContents['files']): Promise<void> {
  const left = [...files];
  const checkRest = async (): Promise<void> => {
    for (let file = left.pop(); file; file = left.pop()) {
      const bytes = await objectBytes(file.key);
      if (bytes !== file.bytes) {
        throw new JobError(
          'OUTPUT_MISMATCH',
          'A stored file of the output does not have the size that its job reported.',
        );
      }
    }
  };
  await Promise.all(Array.from({ length: parallelChecks }, checkRest));
}
