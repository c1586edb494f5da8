import type { AudioRendition, VideoSource } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { ThumbnailsSpec } from '../../shared/protocol/jobs.ts';
import type { FrameIndex, ProbeResult, VideoTrack } from '../../shared/protocol/probe-result.ts';
import { numberedName } from '../common/numbered-name.ts';
import type { TemplateQuery } from '../templates/template-query.ts';
import { type PlannedAudio, planAudio } from './audio/audio-plan.ts';
import { refuseAmplification } from './output-budget.ts';
import { outputRequirement, planOutput } from './output-plan.ts';
import { planWarnings } from './plan-warnings.ts';
import { audioParams, videoParams } from './stream-params.ts';
import { streamVariants, type Variant } from './stream-variants.ts';
import { planThumbnails } from './thumbnail-plan.ts';
import { aspectRatio, displaySize } from './video/display-size.ts';
import { type EncodeGroup, encodeGroups, groupEndSeconds, videoStartSeconds } from './video/encode-groups.ts';
import { ladderEntries } from './video/ladder.ts';
import { frameSize, type PlannedRung, planRungs } from './video/rungs.ts';
import { videoSource } from './video/video-source.ts';

/** A stream record to be: one per rung and per audio rendition. `inputParams` is the API's input_params. */
export type PlannedStream = {
  name: string;
  type: 'video' | 'audio';
  inputParams: Record<string, unknown>;
  width: number | null;
  height: number | null;
  language: string | null;
  channels: number | null;
};

/** An output and the names of its streams, the best first. `error` is a sentence when nothing of the source is left for it. */
export type PlannedOutput = {
  name: string;
  format: 'hls' | 'dash' | 'mp4';
  container: 'fmp4' | 'ts' | 'mp4';
  video: string[];
  audio: string[];
  segmentSeconds: number;
  faststart: boolean;
  error: string | null;
};

/** Everything that is made of one source. Second 0 of the outputs is `originSeconds` of the source. */
export type Plan = {
  originSeconds: number;
  durationSeconds: number;
  aspectRatio: string | null;
  source: VideoSource | null;
  groups: EncodeGroup[];
  audio: AudioRendition[];
  streams: PlannedStream[];
  outputs: PlannedOutput[];
  thumbnails: ThumbnailsSpec | null;
  warnings: string[];
  /** tracks in its outputs that another plan made, by name, with the run of that plan */
  carried: Record<string, number>;
};

type Source = { probe: ProbeResult; frames: FrameIndex | null; query: TemplateQuery };

/** Of one playlist, and of one job's list of files. */
const maxSegments = 20_000;
const maxAudioRenditions = 100;

/**
 * Plans all encodes of a source by its packets' times; what its header says of lengths is not looked at. `frames` is null only for a source without
 * video. Throws JobError INPUT_TOO_LARGE for a source beyond what playlists and job lists hold, or that would become far more than it holds.
 */
export function planVideo({ probe, frames, query }: Source): Plan {
  const rungs = probe.video ? rungsOf(probe.video, query) : [];
  const streamNames = new Set(rungs.map(({ rung }) => rung.name));
  const renditions = query.audio.flatMap((entry) => planAudio(entry, probe.audio, streamNames));
  if (renditions.length > maxAudioRenditions) {
    throw new JobError(
      'INPUT_TOO_LARGE',
      `The source has too many audio tracks: ${renditions.length} encodes of them.`,
    );
  }

  const wishes = query.outputs.map((output) => outputRequirement(output, rungs, renditions));
  const wishesFor = <Kind extends 'video' | 'audio'>(kind: Kind) => wishes.map(({ [kind]: wish }) => wish);
  const video = streamVariants(rungs, ({ rung }) => rung.name, wishesFor('video'), streamNames);
  const audio = streamVariants(renditions, ({ rendition }) => rendition.name, wishesFor('audio'), streamNames);

  const originSeconds = earliestStart(probe.video, video, audio);
  const tracks = new Set(audio.map(({ item }) => item.track));
  refuseAmplification(probe, { rungs: video.map(({ item }) => item), audio: [...tracks], originSeconds });
  const groups = groupsOf({ probe, frames, query }, video, originSeconds);
  const ends = [
    ...groups.map(groupEndSeconds),
    ...audio.map(({ item: { track } }) => track.startSeconds + track.durationSeconds - originSeconds),
  ];
  // the uploader is told how long the source is, even if nothing can be made of it
  const durationSeconds = ends.length > 0 ? Math.max(...ends) : probe.durationSeconds;
  for (const { segmentSeconds } of [...video, ...audio]) refuseTooLong(durationSeconds, segmentSeconds);

  const source = probe.video && videoSource(probe.video, probe);
  const outputNames = new Set(query.outputs.flatMap(({ name }) => name ?? []));
  return {
    originSeconds,
    durationSeconds,
    aspectRatio: probe.video && aspectRatio(displaySize(probe.video)),
    source,
    groups,
    audio: audio.map(({ item, name, segmentSeconds }) => ({ ...item.rendition, name, segmentSeconds })),
    streams: [...video.map(videoStream), ...audio.map(audioStream)],
    outputs: wishes.map((wish) => ({
      name: wish.output.name ?? numberedName(wish.output.format, outputNames),
      ...planOutput(wish, { video, audio }, query),
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
  return planRungs(entries, query.scaling?.fit ?? 'contain', source);
}

function earliestStart(
  track: VideoTrack | null,
  video: Variant<PlannedRung>[],
  audio: Variant<PlannedAudio>[],
): number {
  const starts = audio.map(({ item }) => item.track.startSeconds);
  if (track && video.length > 0)
    starts.push(
      videoStartSeconds(
        track,
        video.map(({ item }) => item),
      ),
    );
  return starts.length === 0 ? 0 : Math.min(...starts);
}

function groupsOf(
  { probe, frames, query }: Source,
  video: Variant<PlannedRung>[],
  originSeconds: number,
): EncodeGroup[] {
  if (!probe.video || video.length === 0) return [];
  if (frames?.ptsDeltas.length !== probe.video.frameCount) {
    throw new JobError('INTERNAL', 'The index of frames does not belong to the video track.');
  }
  const source = { track: probe.video, frames, formatName: probe.formatName };
  return encodeGroups(source, video, { originSeconds, chunkSeconds: query.chunk_duration });
}

function refuseTooLong(durationSeconds: number, segmentSeconds: number): void {
  if (durationSeconds / segmentSeconds <= maxSegments) return;
  const hours = Math.floor((maxSegments * segmentSeconds) / 3600);
  throw new JobError(
    'INPUT_TOO_LARGE',
    `The source is longer than the ${hours} hours that segments of ${segmentSeconds} s allow.`,
  );
}

export const videoStream = ({ item, name }: Variant<PlannedRung>): PlannedStream => ({
  name,
  type: 'video',
  inputParams: videoParams(item),
  ...frameSize(item.rung),
  language: null,
  channels: null,
});

export const audioStream = ({ item, name }: Variant<PlannedAudio>): PlannedStream => ({
  name,
  type: 'audio',
  inputParams: audioParams(item),
  width: null,
  height: null,
  language: item.rendition.language,
  channels: item.rendition.channels,
});
