import { defaults } from '../../shared/defaults.ts';
import type { OutputEntry, TemplateQuery } from '../templates/query-structure.ts';
import type { PlannedAudio } from './audio/audio-plan.ts';
import { type Requirement, type Variant, variantsFor } from './stream-variants.ts';
import type { PlannedRung } from './video/rungs.ts';

/** What an output takes of the streams that a source gives. */
export type OutputRequirement = {
  output: OutputEntry;
  video: Requirement<PlannedRung>;
  audio: Requirement<PlannedAudio>;
};

/** The streams of each output, the best first. A file holds one video and one audio stream: the best rung, the default track. */
export function outputRequirement(
  output: OutputEntry,
  rungs: PlannedRung[],
  renditions: PlannedAudio[],
): OutputRequirement {
  const isFile = output.format === 'mp4';
  const segmentSeconds = isFile ? null : (output.segment_duration ?? defaults.segmentSeconds);
  const takes = (names: '*' | string[], name: string) => names === '*' || names.includes(name);
  const video = rungs.filter(({ entry, duplicates }) =>
    [entry.name, ...duplicates].some((name) => takes(output.video, name)),
  );
  const audio = renditions.filter(({ entry }) => takes(output.audio, entry.name));
  return {
    output,
    video: { items: isFile ? video.slice(0, 1) : video, segmentSeconds },
    audio: { items: isFile ? audio.slice(0, 1) : audio, segmentSeconds },
  };
}

/** The output with the names of its streams; `error` says what the source lacks when there are none. */
export function planOutput(
  { output, ...wish }: OutputRequirement,
  variants: { video: Variant<PlannedRung>[]; audio: Variant<PlannedAudio>[] },
  query: TemplateQuery,
) {
  const video = variantsFor(wish.video, variants.video);
  const audio = variantsFor(wish.audio, variants.audio);
  const wantsVideo =
    output.video === '*' ? query.ladder !== undefined || query.video.length > 0 : output.video.length > 0;
  const missing = wantsVideo ? 'source has no video' : 'source has no audio';
  return {
    format: output.format,
    container: output.format === 'mp4' ? ('mp4' as const) : (output.container ?? ('fmp4' as const)),
    video: video.map(({ name }) => name),
    audio: audio.map(({ name }) => name),
    segmentSeconds: (video[0] ?? audio[0])?.segmentSeconds ?? wish.video.segmentSeconds ?? defaults.segmentSeconds,
    faststart: output.faststart ?? true,
    error: video.length + audio.length > 0 ? null : missing,
  };
}
