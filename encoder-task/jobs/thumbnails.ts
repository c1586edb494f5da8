import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { imageFile, type JobResult, posterFile, previewFile, type ThumbnailsSpec } from '../../shared/protocol/jobs.ts';
import { imageSize } from '../ffmpeg/output/image-size.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { imageArgs, previewArgs, previewPartArgs, previewQualities, spriteArgs } from '../ffmpeg/thumbnail-args.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { openSource } from '../source/open-source.ts';
import { uploadFile } from '../transfer/upload.ts';
import type { JobContext } from './job-context.ts';

type Context = JobContext<ThumbnailsSpec>;

/** Makes the poster, the sprite sheets with their WebVTT index, the images and the preview. */
export async function makeThumbnails(context: Context): Promise<JobResult<'thumbnails'>> {
  const { result: made, cpuSeconds } = await measureCpu(async () => [
    ...(await makePoster(context)),
    ...(await makeSprite(context)),
    ...(await makeImages(context)),
    ...(await makePreview(context)),
  ]);
  const files: JobResult<'thumbnails'>['files'] = [];
  for (const file of made) {
    await checkImage(context, file);
    files.push(await uploadFile(context, file));
  }
  return { files, cpuSeconds };
}

/** Throws when an image does not have the planned size, or its header is cut off. */
async function checkImage({ folder, spec }: Context, file: string): Promise<void> {
  if (/\.(vtt|mp4)$/.test(file)) return;
  const { width, height } = imageSize(await readFile(join(folder, file)));
  const planned = plannedSize(spec, file);
  if (width !== planned?.width || height !== planned.height) {
    throw new JobError('OUTPUT_MISMATCH', `${file} is ${width} × ${height} pixels`);
  }
}

function plannedSize({ poster, sprite, images, preview }: ThumbnailsSpec, file: string) {
  if (file.startsWith('poster')) return poster;
  if (file.startsWith('sprite')) return sprite && sheetSize(sprite);
  return file.startsWith('image') ? images : preview;
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
    for (const atSeconds of [poster.atSeconds, null]) {
      const args = imageArgs({ source: video, sourceUrl: source.url, atSeconds }, poster, file);
      await runFfmpeg(context, { args, source });
      if (await exists(context, file)) return [file];
    }
  } finally {
    source.close();
  }
  throw undecodable();
}

const exists = async ({ folder }: Context, file: string): Promise<boolean> => (await readdir(folder)).includes(file);

const undecodable = (): JobError =>
  new JobError('INPUT_DAMAGED', 'The video is damaged and cannot be decoded. Export it again and upload the new file.');

async function makeSprite(context: Context): Promise<string[]> {
  const { sprite, source: video, durationSeconds } = context.spec;
  if (!sprite) return [];
  const source = await openSource(context, {
    decodes: { streamIndexes: [video.streamIndex], keyFramesOnly: !sprite.decodesAll },
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
  if (sheets.length === 0) throw undecodable();
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
        else if (!(await make(file, null))) throw undecodable();
      }
      made.push(file);
      context.reportProgress(made.length / images.atSeconds.length);
    }
  } finally {
    source.close();
  }
  return made;
}

/**
 * The parts are decoded once, then encoded with less quality until the file is small enough. No preview is better than
 * one that makes a list of videos slow.
 */
async function makePreview(context: Context): Promise<string[]> {
  const { preview } = context.spec;
  if (!preview) return [];
  const parts = await previewParts(context, preview);
  const file = previewFile(preview);
  for (const quality of previewQualities[preview.format]) {
    await runFfmpeg(context, { args: previewArgs(preview, parts, quality) });
    const { size } = await stat(join(context.folder, file));
    if (size <= preview.maxBytes) return [file];
    context.log.debug('the preview is too large', { bytes: size, quality });
  }
  return [];
}

async function previewParts(context: Context, preview: NonNullable<ThumbnailsSpec['preview']>): Promise<string[]> {
  const { source: video } = context.spec;
  const source = await openSource(context, { clock: video });
  try {
    const parts: string[] = [];
    const make = async (atSeconds: number | null): Promise<void> => {
      const file = `part-${parts.length}.yuv`;
      const args = previewPartArgs({ source: video, sourceUrl: source.url, atSeconds }, preview, file);
      await runFfmpeg(context, { args, source });
      const { size } = await stat(join(context.folder, file));
      if (size > 0) parts.push(file);
    };
    for (const atSeconds of preview.startSeconds) await make(atSeconds);
    if (parts.length === 0) await make(null);
    if (parts.length === 0) throw undecodable();
    return parts;
  } finally {
    source.close();
  }
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
