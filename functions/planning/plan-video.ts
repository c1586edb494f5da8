import { defaults } from '../../shared/defaults.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { FrameIndex, ProbeResult, VideoTrack } from '../../shared/protocol/probe-result.ts';
import { numberedName } from '../common/numbered-name.ts';
import type { TemplateQuery } from '../templates/template-query.ts';
import { type PlannedAudio, planAudio } from './audio/audio-plan.ts';
import type { Plan } from './encoding-plan.ts';
import { refuseAmplification } from './output-budget.ts';
import { outputRequirement, planOutput } from './output-plan.ts';
import { planWarnings } from './plan-warnings.ts';
import { audioStream, videoStream } from './planned-stream.ts';
import { streamVariants, type Variant } from './stream-variants.ts';
import { planThumbnails } from './thumbnail-plan.ts';
import { aspectRatio, displaySize } from './video/display-size.ts';
import { type EncodeGroup, encodeGroups, groupEndSeconds, videoStartSeconds } from './video/encode-groups.ts';
import { ladderEntries } from './video/ladder.ts';
import { type PlannedRung, planRungs } from './video/rungs.ts';
import { videoSource } from './video/video-source.ts';

type Source = { probe: ProbeResult; frames: FrameIndex | null; query: TemplateQuery };

/** What is encoded, each stream once for each segment length that an output needs. */
type Variants = { video: Variant<PlannedRung>[]; audio: Variant<PlannedAudio>[] };

/** The limit of one playlist and of the file list of one job. */
const maxSegments = 20_000;
const maxAudioRenditions = 100;

/**
 * Plans all encodes of a source from its packet times; durations in headers are ignored. `frames` is null only for a
 * source without video.
 * @throws JobError INPUT_TOO_LARGE for a source that exceeds the limits of playlists and jobs, or whose outputs would
 *   be far larger than it is
 */
export function planVideo({ probe, frames, query }: Source): Plan {
  const rungs = probe.video ? rungsOf(probe.video, query) : [];
  const streamNames = new Set(rungs.map(({ rung }) => rung.name));
  const renditions = renditionsOf(probe, query, streamNames);
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
  const originSeconds = earliestStartSeconds(probe.video, variants);
  refuseAmplification(probe, {
    rungs: variants.video.map(({ item }) => item),
    audio: [...new Set(variants.audio.map(({ item }) => item.track))],
    originSeconds,
  });
  const groups = groupsOf({ probe, frames, query }, variants.video, originSeconds);
  const durationSeconds = latestEndSeconds(groups, variants.audio, originSeconds) ?? probe.durationSeconds;
  for (const { segmentSeconds } of [...variants.video, ...variants.audio]) {
    refuseTooManySegments(durationSeconds, segmentSeconds);
  }
  const source = probe.video && videoSource(probe.video, probe);
  const outputNames = new Set(query.outputs.flatMap(({ name }) => name ?? []));
  return {
    originSeconds,
    durationSeconds,
    aspectRatio: probe.video && aspectRatio(displaySize(probe.video)),
    source,
    groups,
    audio: variants.audio.map(({ item, name, segmentSeconds }) => ({ ...item.rendition, name, segmentSeconds })),
    streams: [...variants.video.map(videoStream), ...variants.audio.map(audioStream)],
    outputs: requirements.map((requirement) => ({
      name: requirement.output.name ?? numberedName(requirement.output.format, outputNames),
      ...planOutput(requirement, variants, query),
    })),
    thumbnails:
      source && probe.video && frames && query.thumbnails
        ? planThumbnails(query.thumbnails, source, probe.video, frames)
        : null,
    warnings: planWarnings(query, probe, { rungs, renditions }),
    carried: {},
  };
}

function rungsOf(track: VideoTrack, query: TemplateQuery): PlannedRung[] {
  const source = { display: displaySize(track), frameRate: track.averageFrameRate, bitrateBps: track.bitrateBps };
  const entries = query.ladder ? ladderEntries(query.ladder, source) : query.video;
  return planRungs(entries, query.scaling?.fit ?? defaults.fit, source);
}

function renditionsOf(probe: ProbeResult, query: TemplateQuery, takenNames: Set<string>): PlannedAudio[] {
  const renditions = query.audio.flatMap((entry) => planAudio(entry, probe.audio, takenNames));
  if (renditions.length <= maxAudioRenditions) return renditions;
  throw new JobError('INPUT_TOO_LARGE', `The source has too many audio tracks: ${renditions.length} encodes of them.`);
}

function earliestStartSeconds(track: VideoTrack | null, { video, audio }: Variants): number {
  const starts = audio.map(({ item }) => item.track.startSeconds);
  const rungs = video.map(({ item }) => item);
  if (track && rungs.length > 0) starts.push(videoStartSeconds(track, rungs));
  return starts.length === 0 ? 0 : Math.min(...starts);
}

/** Undefined when nothing is encoded. */
function latestEndSeconds(groups: EncodeGroup[], audio: Variants['audio'], originSeconds: number): number | undefined {
  const audioEnds = audio.map(({ item: { track } }) => track.startSeconds + track.durationSeconds - originSeconds);
  const ends = [...groups.map(groupEndSeconds), ...audioEnds];
  return ends.length > 0 ? Math.max(...ends) : undefined;
}

function groupsOf({ probe, frames, query }: Source, video: Variants['video'], originSeconds: number): EncodeGroup[] {
  if (!probe.video || video.length === 0) return [];
  if (frames?.ptsDeltas.length !== probe.video.frameCount) {
    throw new JobError('INTERNAL', 'The frame index does not match the video track.');
  }
  const source = { track: probe.video, frames, formatName: probe.formatName };
  return encodeGroups(source, video, { originSeconds, targetChunkSeconds: query.chunk_duration });
}

function refuseTooManySegments(durationSeconds: number, segmentSeconds: number): void {
  if (durationSeconds / segmentSeconds <= maxSegments) return;
  const hours = Math.floor((maxSegments * segmentSeconds) / 3600);
  throw new JobError(
    'INPUT_TOO_LARGE',
    `The source is longer than the ${hours} hours that segments of ${segmentSeconds} s allow.`,
  );
}
