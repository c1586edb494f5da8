import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readImageHeader } from '../../shared/media/image-header.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import {
  imageFile,
  type JobResult,
  posterFile,
  type ThumbnailsSpec,
  type UploadedPosterSpec,
} from '../../shared/protocol/jobs.ts';
import { undecodableVideo } from '../ffmpeg/output/failure.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { firstSeconds, imageArgs, spriteArgs } from '../ffmpeg/thumbnail-args.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { openSource } from '../source/open-source.ts';
import { uploadFile } from '../transfer/upload.ts';
import type { JobContext } from './job-context.ts';
import { makePreview } from './preview.ts';
import { makeUploadedPoster, writeWatermark } from './uploaded-image.ts';

type Spec = ThumbnailsSpec | UploadedPosterSpec;
type Context = JobContext<ThumbnailsSpec>;

/** Makes the poster, the sprite sheets with their WebVTT index, the images and the preview, or an uploaded poster. */
export async function makeThumbnails(context: JobContext<Spec>): Promise<JobResult<'thumbnails'>> {
  const { spec, folder } = context;
  const { result: made, cpuSeconds } = await measureCpu(async () =>
    'image' in spec ? [await makeUploadedPoster({ ...context, spec })] : makeFromFrames({ ...context, spec }),
  );
  const files: JobResult<'thumbnails'>['files'] = [];
  for (const file of made) {
    await checkImage(folder, file, plannedSize(spec, file));
    files.push(await uploadFile(context, file));
  }
  return { files, cpuSeconds };
}

async function makeFromFrames(context: Context): Promise<string[]> {
  await writeWatermark(context, context.spec.source);
  return [
    ...(await makePoster(context)),
    ...(await makeSprite(context)),
    ...(await makeImages(context)),
    ...(await makePreview(context)),
  ];
}

/** Throws when an image does not have the planned size, or is cut off. */
async function checkImage(folder: string, file: string, planned: Size | null | undefined): Promise<void> {
  if (/\.(vtt|mp4)$/.test(file)) return;
  const header = readImageHeader(await readFile(join(folder, file)));
  if (!header?.isComplete || header.width !== planned?.width || header.height !== planned.height) {
    throw new JobError('OUTPUT_MISMATCH', `${file} is not an image of ${planned?.width} × ${planned?.height} pixels`);
  }
}

type Size = { width: number; height: number };

function plannedSize(spec: Spec, file: string): Size | null | undefined {
  if (file.startsWith('poster') || 'image' in spec) return spec.poster;
  if (file.startsWith('sprite')) return spec.sprite && sheetSize(spec.sprite);
  return file.startsWith('image') ? spec.images : spec.preview;
}

const sheetSize = ({ columns, rows, tileWidth, tileHeight }: NonNullable<ThumbnailsSpec['sprite']>) => ({
  width: columns * tileWidth,
  height: rows * tileHeight,
});

async function makePoster(context: Context): Promise<string[]> {
  const { poster, source: video } = context.spec;
  if (!poster) return [];
  const file = posterFile(poster);
  const source = await openSource(context, { clock: video });
  try {
    // in some containers, no frame is decoded after a seek beyond the last key frame
    for (const atSeconds of [poster.atSeconds, firstSeconds(video)]) {
      const args = imageArgs({ source: video, sourceUrl: source.url, atSeconds }, poster, file);
      await runFfmpeg(context, { args, source });
      if (await exists(context, file)) return [file];
    }
  } finally {
    source.close();
  }
  throw undecodableVideo();
}

const exists = async ({ folder }: Context, file: string): Promise<boolean> => (await readdir(folder)).includes(file);

async function makeSprite(context: Context): Promise<string[]> {
  const { sprite, source: video, durationSeconds } = context.spec;
  if (!sprite) return [];
  const source = await openSource(context, {
    decodes: { streamIndexes: [video.streamIndex], keyFramesOnly: !sprite.decodesAll },
    part: video.part,
    clock: video,
  });
  try {
    await runFfmpeg(context, {
      args: spriteArgs({ source: video, sourceUrl: source.url }, sprite),
      source,
      onProgress: ({ frame }) => context.reportProgress(frame / sprite.sheets),
    });
  } finally {
    source.close();
  }
  const sheets = (await readdir(context.folder)).filter((name) => name.startsWith('sprite-')).sort();
  // ffmpeg exits with 0 when no frame can be decoded, and a retry would have the same result
  if (sheets.length === 0) throw undecodableVideo();
  if (sheets.length !== sprite.sheets) {
    throw new JobError('OUTPUT_MISMATCH', `${sheets.length} sprite sheets instead of ${sprite.sheets}`);
  }
  await writeFile(join(context.folder, 'sprite.vtt'), spriteVtt(sprite, durationSeconds));
  return [...sheets, 'sprite.vtt'];
}

/** Single images, each from its own seek. Where the source cannot be decoded, the image before is shown again. */
async function makeImages(context: Context): Promise<string[]> {
  const { images, source: video } = context.spec;
  if (!images) return [];
  const source = await openSource(context, { clock: video });
  const make = async (file: string, atSeconds: number | null): Promise<boolean> => {
    const args = imageArgs({ source: video, sourceUrl: source.url, atSeconds }, images, file);
    await runFfmpeg(context, { args, source });
    return exists(context, file);
  };
  const made: string[] = [];
  try {
    for (const [index, atSeconds] of images.atSeconds.entries()) {
      const file = imageFile(index, images.format);
      const before = made.at(-1);
      if (!(await make(file, atSeconds))) {
        if (before !== undefined) await copyFile(join(context.folder, before), join(context.folder, file));
        else if (!(await make(file, firstSeconds(video)))) throw undecodableVideo();
      }
      made.push(file);
      context.reportProgress(made.length / images.atSeconds.length);
    }
  } finally {
    source.close();
  }
  return made;
}

type Sprite = NonNullable<ThumbnailsSpec['sprite']>;

/** WebVTT with one cue per tile, which refers to a rectangle of a sprite sheet. The last cue ends with the video. */
function spriteVtt(sprite: Sprite, durationSeconds: number): string {
  const cues = Array.from({ length: sprite.tiles }, (_, tile) => {
    const position = tile % (sprite.columns * sprite.rows);
    const sheet = String(Math.floor(tile / (sprite.columns * sprite.rows)) + 1).padStart(3, '0');
    const x = (position % sprite.columns) * sprite.tileWidth;
    const y = Math.floor(position / sprite.columns) * sprite.tileHeight;
    const nextSeconds = (tile + 1) * sprite.intervalSeconds;
    const endsWithVideo = tile + 1 === sprite.tiles && durationSeconds > tile * sprite.intervalSeconds;
    return [
      `${timestamp(tile * sprite.intervalSeconds)} --> ${timestamp(endsWithVideo ? durationSeconds : nextSeconds)}`,
      `sprite-${sheet}.${sprite.format}#xywh=${x},${y},${sprite.tileWidth},${sprite.tileHeight}`,
    ].join('\n');
  });
  return `WEBVTT\n\n${cues.join('\n\n')}\n`;
}

/** `HH:MM:SS.mmm` */
function timestamp(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  const part = (unitMs: number, base: number) => String(Math.floor(milliseconds / unitMs) % base).padStart(2, '0');
  const thousandths = String(milliseconds % 1000).padStart(3, '0');
  return `${part(3_600_000, 100)}:${part(60_000, 60)}:${part(1000, 60)}.${thousandths}`;
}
