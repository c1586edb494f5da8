import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { previewFile, type ThumbnailsSpec } from '../../shared/protocol/jobs.ts';
import { undecodableVideo } from '../ffmpeg/output/failure.ts';
import { previewArgs, previewPartArgs, previewQualities } from '../ffmpeg/preview-args.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { firstSeconds } from '../ffmpeg/thumbnail-args.ts';
import { openSource } from '../source/open-source.ts';
import type { JobContext } from './job-context.ts';

type Context = JobContext<ThumbnailsSpec>;

/**
 * The parts are decoded once, then encoded with less quality until the file is small enough. No preview is better than
 * one that makes a list of videos slow.
 */
export async function makePreview(context: Context): Promise<string[]> {
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
    if (parts.length === 0) await make(firstSeconds(video));
    if (parts.length === 0) throw undecodableVideo();
    return parts;
  } finally {
    source.close();
  }
}
