import type * as z from 'zod';
import { serializeSourceOptions } from '../contracts/fields/source-options.ts';
import type { stream } from '../contracts/fields/stream-fields.ts';
import type { video, videoListItem } from '../contracts/routes/video-routes.ts';
import type { Output, Stream, Template, Video } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { outputName } from './output-name.ts';
import { serializeTemplate } from './serialize-template.ts';

export function serializeVideo(found: WholeVideo, template: Template | undefined): z.input<typeof video> {
  const whole = shown(found);
  const streams = new Map(whole.streams.map((one) => [one.ulid, serializeStream(whole.video, one)]));
  return {
    ...serializeBase(whole),
    template: template ? serializeTemplate(template) : null,
    outputs: whole.outputs.map((output) => ({
      ulid: output.ulid,
      format: output.format,
      status: output.status,
      progress: progressOf(output, whole.done),
      streams: output.streams.flatMap((ulid) => streams.get(ulid) ?? []),
      name: outputName(output, whole.streams),
      size: output.bytes,
      error_log: output.errorLog,
      created_at: output.createdAt,
      playable_at: output.playableAt ?? null,
      completed_at: output.completedAt,
    })),
  };
}

/** `sign` makes the URL of a key; absent while nothing delivers the video. */
export const serializeVideoListItem = (
  whole: Pick<WholeVideo, 'video' | 'streams' | 'replacedOriginal'>,
  sign: ((key: string) => string) | undefined,
): z.input<typeof videoListItem> => {
  const urlOf = (key: string | null): string | null => (key === null ? null : (sign?.(key) ?? null));
  const { thumbnailPath, previewPath } = whole.video;
  return { ...serializeBase(shown(whole)), poster_url: urlOf(thumbnailPath), preview_url: urlOf(previewPath) };
};

/** While its source is being replaced, a video has the properties of what plays. */
const shown = <Shown extends Pick<WholeVideo, 'video' | 'streams' | 'replacedOriginal'>>(whole: Shown): Shown => {
  const { video, streams, replacedOriginal } = whole;
  if (!video.replaced) return whole;
  const { durationSeconds, aspectRatio, sourceOptions, sourceVideoUlid } = video.replaced;
  return {
    ...whole,
    video: { ...video, durationSeconds, aspectRatio, sourceOptions, sourceVideoUlid },
    streams: streams.map((stream) => (stream.ulid === replacedOriginal?.ulid ? replacedOriginal : stream)),
  };
};

const serializeBase = ({ video, streams }: Pick<WholeVideo, 'video' | 'streams'>) => ({
  id: video.id,
  ulid: video.ulid,
  name: video.name,
  status: video.status,
  duration: video.durationSeconds === null ? null : Math.round(video.durationSeconds * 1000) / 1000,
  aspect_ratio: video.aspectRatio,
  thumbnail_path: video.thumbnailPath,
  template_id: video.templateId,
  playback: video.playback,
  playable_at: video.playableAt ?? null,
  replace_error: video.replaceError ?? null,
  streams: streams.map((stream) => serializeStream(video, stream)),
  externalUserId: video.externalUserId,
  externalResourceId: video.externalResourceId,
  metadata: video.metadata ?? {},
  tags: video.tags ?? [],
  ...serializeSourceOptions(video.sourceOptions),
  source_video: video.sourceVideoUlid ?? null,
  expires_at: video.expiresAt ?? null,
  created_at: video.createdAt,
});

export const serializeStream = (video: Video, one: Stream): z.input<typeof stream> => ({
  id: one.id,
  ulid: one.ulid,
  video_id: video.id,
  name: one.name,
  type: one.type,
  width: one.width,
  height: one.height,
  size: one.bytes,
  language: one.language,
  channels: one.channels,
  meta: one.meta,
  input_params: one.inputParams,
  error_log: one.errorLog,
  status: one.status,
  created_at: one.createdAt,
  source_deleted_at: (one.type === 'original' && video.sourceDeletedAt) || null,
});

/**
 * Completed percentage of an output's units of work. 100 only when it is completed; a failed output keeps its value.
 */
export function progressOf(output: Pick<Output, 'status' | 'work'>, done: Record<string, number>): number {
  if (output.status === 'completed') return 100;
  const parts = Object.entries(output.work);
  const work = parts.reduce((sum, [, units]) => sum + units, 0);
  if (work === 0) return 0;
  // The count of a part can exceed the output's units when jobs were done twice.
  const finished = parts.reduce((sum, [part, units]) => sum + Math.min(units, done[part] ?? 0), 0);
  return Math.floor((99 * finished) / work);
}
