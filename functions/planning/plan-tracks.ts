import { defaults } from '../../shared/defaults.ts';
import { toNumber } from '../../shared/media/rational.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { AudioTrack, FrameIndex, ProbeResult, VideoTrack } from '../../shared/protocol/probe-result.ts';
import { numberedName } from '../common/numbered-name.ts';
import type { TemplateQuery } from '../templates/template-query.ts';
import { type PlannedAudio, planAudio } from './audio/audio-plan.ts';
import { joinMonoTracks } from './audio/join-mono.ts';
import type { PlannedOutput } from './encoding-plan.ts';
import { outputRequirement, planOutput } from './output-plan.ts';
import { streamVariants, type Variant } from './stream-variants.ts';
import { planCopies } from './video/copy/plan-copies.ts';
import { displaySize } from './video/display-size.ts';
import type { Presentation } from './video/frame-grid.ts';
import { rateOver } from './video/frame-rate.ts';
import { ladderEntries } from './video/ladder.ts';
import { type PlannedRung, planRungs } from './video/rungs.ts';

/** What is encoded, each stream once for each segment length that an output needs. */
export type Variants = { video: Variant<PlannedRung>[]; audio: Variant<PlannedAudio>[] };

export type PlannedTracks = {
  rungs: PlannedRung[];
  renditions: PlannedAudio[];
  variants: Variants;
  outputs: PlannedOutput[];
};

/** The limit of one playlist and of the file list of one job. */
const maxSegments = 20_000;
const maxAudioRenditions = 100;

/**
 * The part of a plan that follows from the tracks of a source alone, without its frames: the streams to encode, and the
 * outputs with their streams.
 * @throws JobError INPUT_TOO_LARGE for a source with too many audio tracks
 */
export function planTracks(source: Pick<ProbeResult, 'video' | 'audio'>, query: TemplateQuery): PlannedTracks {
  const rungs = source.video ? rungsOf(source.video, source.audio, query) : [];
  const streamNames = new Set(rungs.map(({ rung }) => rung.name));
  const renditions = renditionsOf(source, query, streamNames);
  const requirements = query.outputs.map((output) => outputRequirement(output, rungs, renditions));
  const variants: Variants = {
    video: streamVariants(
      rungs,
      ({ rung }) => rung.name,
      requirements.map(({ video }) => video),
      streamNames,
    ),
    audio: streamVariants(
      renditions,
      ({ rendition }) => rendition.name,
      requirements.map(({ audio }) => audio),
      streamNames,
    ),
  };
  const outputNames = new Set(query.outputs.flatMap(({ name }) => name ?? []));
  const outputs = requirements.map((requirement) => ({
    name: requirement.output.name ?? numberedName(requirement.output.format, outputNames),
    ...planOutput(requirement, variants, query),
  }));
  return { rungs, renditions, variants, outputs };
}

/**
 * The tracks with the rungs that are copied where the template allows it, and the reasons for those that have to be
 * encoded. Copies may change the length of segments.
 */
export function withCopies(
  tracks: PlannedTracks,
  { video, frames, presentation }: { video: VideoTrack | null; frames: FrameIndex | null; presentation: Presentation },
  query: TemplateQuery,
): { tracks: PlannedTracks; warnings: string[] } {
  if (query.copy !== 'auto' || !video || !frames || tracks.variants.video.length === 0) return { tracks, warnings: [] };
  // The bitrates of a ladder follow that of the source, which would refuse most sources their own peaks. The average of
  // a copy is limited by the bitrate of the table, also where an encode would have a constant quality.
  const ladder = query.ladder && { ...query.ladder, mode: 'bitrate' as const };
  const uncapped = rungsOf({ ...video, bitrateBps: null }, [], { ...query, ladder });
  const copies = planCopies(
    tracks.variants.video,
    { track: video, frames, presentation, templateReason: query.watermark ? 'the template has a watermark' : null },
    ({ rung }) => (uncapped.find((other) => other.rung.name === rung.name)?.rung ?? rung).rate,
  );
  const resized = <Timed extends { segmentSeconds: number }>(timed: Timed): Timed => ({
    ...timed,
    segmentSeconds: copies.segmentSeconds.get(timed.segmentSeconds) ?? timed.segmentSeconds,
  });
  const copied = (variant: Variant<PlannedRung>): Variant<PlannedRung> =>
    copies.names.has(variant.name)
      ? { ...variant, item: { ...variant.item, rung: { ...variant.item.rung, copied: true } } }
      : variant;
  return {
    tracks: {
      ...tracks,
      variants: {
        video: tracks.variants.video.map(resized).map(copied),
        audio: tracks.variants.audio.map(resized),
      },
      outputs: tracks.outputs.map(resized),
    },
    warnings: copies.warnings,
  };
}

/** @throws JobError INPUT_TOO_LARGE for a source that is too long for the segments of its streams */
export function refuseTooManySegments(durationSeconds: number, { video, audio }: Variants): void {
  for (const { segmentSeconds } of [...video, ...audio]) {
    if (durationSeconds / segmentSeconds <= maxSegments) continue;
    const hours = Math.floor((maxSegments * segmentSeconds) / 3600);
    throw new JobError(
      'INPUT_TOO_LARGE',
      `The source is longer than the ${hours} hours that segments of ${segmentSeconds} s allow.`,
    );
  }
}

function rungsOf(track: VideoTrack, audio: AudioTrack[], query: TemplateQuery): PlannedRung[] {
  const seconds = lastsSeconds(track, audio);
  const source = {
    display: displaySize(track),
    frameRate: rateOver(track, seconds),
    bitrateBps: track.bitrateBps,
  };
  const entries = query.ladder ? ladderEntries(query.ladder, source) : query.video;
  return planRungs(entries, query.scaling?.fit ?? defaults.fit, source);
}

/** From the first picture or sound of a source to the last. */
function lastsSeconds({ startPts, endPts, timeBase }: VideoTrack, audio: AudioTrack[]): number {
  const [startSeconds, endSeconds] = [startPts * toNumber(timeBase), endPts * toNumber(timeBase)];
  const audioEnds = audio.map((track) => track.startSeconds + track.durationSeconds);
  return Math.max(endSeconds, ...audioEnds) - Math.min(startSeconds, ...audio.map((track) => track.startSeconds));
}

function renditionsOf(
  { audio }: Pick<ProbeResult, 'audio'>,
  query: TemplateQuery,
  takenNames: Set<string>,
): PlannedAudio[] {
  const tracks = joinMonoTracks(audio);
  const renditions = query.audio.flatMap((entry) => planAudio(entry, tracks, takenNames));
  if (renditions.length <= maxAudioRenditions) return renditions;
  throw new JobError('INPUT_TOO_LARGE', `The source has too many audio tracks: ${renditions.length} encodes of them.`);
}
