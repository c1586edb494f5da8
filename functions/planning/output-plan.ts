import { defaults } from '../../shared/defaults.ts';
import { defaultContainer, isSegmented } from '../../shared/media/output-formats.ts';
import type { OutputEntry, TemplateQuery } from '../templates/query-structure.ts';
import type { PlannedAudio } from './audio/audio-plan.ts';
import type { PlannedOutput } from './encoding-plan.ts';
import { type Requirement, type Variant, variantsFor } from './stream-variants.ts';
import type { PlannedRung } from './video/rungs.ts';

/** The streams that an output needs. */
export type OutputRequirement = {
  output: OutputEntry;
  video: Requirement<PlannedRung>;
  audio: Requirement<PlannedAudio>;
};

/**
 * The streams of an output, the best first. An MP4 has at most one video and one audio stream: the best rung and the
 * default track.
 */
export function outputRequirement(
  output: OutputEntry,
  rungs: PlannedRung[],
  renditions: PlannedAudio[],
): OutputRequirement {
  const isFile = !isSegmented(output.format);
  const segmentSeconds = isFile ? null : (output.segment_duration ?? defaults.segmentSeconds);
  const includes = (names: '*' | string[], name: string) => names === '*' || names.includes(name);
  const video = rungs.filter(({ entry, duplicates }) =>
    [entry.name, ...duplicates].some((name) => includes(output.video, name)),
  );
  const audio = renditions.filter(({ entry }) => includes(output.audio, entry.name));
  return {
    output,
    video: { items: isFile ? video.slice(0, 1) : video, segmentSeconds },
    audio: { items: isFile ? audio.slice(0, 1) : audio, segmentSeconds },
  };
}

/** The output with the names of its streams. When it has none, `error` says what the source lacks. */
export function planOutput(
  { output, ...required }: OutputRequirement,
  variants: { video: Variant<PlannedRung>[]; audio: Variant<PlannedAudio>[] },
  query: TemplateQuery,
) {
  const video = variantsFor(required.video, variants.video);
  const audio = variantsFor(required.audio, variants.audio);
  const asksForVideo =
    output.video === '*' ? query.ladder !== undefined || query.video.length > 0 : output.video.length > 0;
  const missing = asksForVideo ? 'source has no video' : 'source has no audio';
  return {
    format: output.format,
    container: output.container ?? defaultContainer(output.format),
    video: video.map(({ name }) => name),
    audio: audio.map(({ name }) => name),
    segmentSeconds: (video[0] ?? audio[0])?.segmentSeconds ?? required.video.segmentSeconds ?? defaults.segmentSeconds,
    faststart: output.faststart ?? true,
    error: video.length + audio.length > 0 ? null : missing,
  };
}

/**
 * How many package jobs an output needs: none for manifests over finished segments, one for each rung with muxed
 * segments.
 */
export function remuxCount(output: Pick<PlannedOutput, 'container' | 'video'>): number {
  if (output.container === 'fmp4') return 0;
  return Math.max(1, output.video.length);
}
