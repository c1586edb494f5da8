import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { type JobResult, posterFile, type ThumbnailsSpec } from '../../shared/protocol/jobs.ts';
import { imageSize } from '../ffmpeg/output/image-size.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { posterArgs, spriteArgs } from '../ffmpeg/thumbnail-args.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { openSource } from '../source/open-source.ts';
import { uploadFile } from '../transfer/upload.ts';
import type { JobContext } from './job-context.ts';
import { spriteVtt } from './sprite-vtt.ts';

type Context = JobContext<ThumbnailsSpec>;

/** Makes the poster and the sprite sheets with their WebVTT index. */
export async function makeThumbnails(context: Context): Promise<JobResult<'thumbnails'>> {
  const { result: made, cpuSeconds } = await measureCpu(async () => [
    ...(await makePoster(context)),
    ...(await makeSprite(context)),
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
  if (file.endsWith('.vtt')) return;
  const { width, height } = imageSize(await readFile(join(folder, file)));
  const planned = file.startsWith('poster') ? spec.poster : spec.sprite && sheetSize(spec.sprite);
  if (width !== planned?.width || height !== planned.height) {
    throw new JobError('OUTPUT_MISMATCH', `${file} is ${width} × ${height} pixels`);
  }
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
      const args = posterArgs({ source: video, sourceUrl: source.url }, poster, atSeconds);
      await runFfmpeg(context, { args, source });
      if ((await readdir(context.folder)).includes(file)) return [file];
    }
  } finally {
    source.close();
  }
  throw undecodable();
}

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
