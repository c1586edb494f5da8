import { defaults } from '../../shared/defaults.ts';
import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import { ValidationFailed } from '../common/errors.ts';
import { numberedName } from '../common/numbered-name.ts';
import { findProbe } from '../job-results/job-results.ts';
import { covers } from '../planning/audio/audio-plan.ts';
import { chosenAudio } from '../planning/audio/choose-tracks.ts';
import { joinMonoTracks, type SourceAudio } from '../planning/audio/join-mono.ts';
import type { PlannedStream } from '../planning/encoding-plan.ts';
import { estimatedAudioSeconds, estimatedCpuSeconds } from '../planning/estimated-cpu-seconds.ts';
import { audioStream, videoStream } from '../planning/planned-stream.ts';
import { audioEntryOf, singleRendition, singleRung, videoEntryOf } from '../planning/single-track.ts';
import { changedTrack } from '../planning/video/change-picture.ts';
import type { StreamEdit, Video } from '../table/records.ts';
import type { InputParams } from '../templates/input-params.ts';
import { type QueryIssue, videoStreamIssues } from '../templates/stream-rules.ts';
import { templateQuerySchema } from '../templates/template-query.ts';

/**
 * A track to encode: its parameters as an entry of a template, the stream that they give for this source, and the
 * estimate of its encode.
 */
export type TrackPlan = { entry: NonNullable<StreamEdit['entry']>; planned: PlannedStream; cpuSeconds: number };

type TrackRequest = {
  video: Video;
  probe: ProbeResult;
  type: StreamEdit['type'];
  params: InputParams;
  segmentSeconds: number;
  /** the GOP length of the other video streams; null when there are none */
  gopSeconds: number | null;
  /** track names of the video; the new name is added */
  takenNames: Set<string>;
};

/** @throws ValidationFailed when the source or the other streams do not allow the parameters */
export const planTrack = (request: TrackRequest): TrackPlan =>
  request.type === 'audio' ? audioTrack(request) : videoTrack(request);

function videoTrack({ video, probe, params, segmentSeconds, gopSeconds, takenNames }: TrackRequest): TrackPlan {
  if (!probe.video) throw new ValidationFailed({ type: ['The source has no video.'] });
  if (gopSeconds !== null && params.gop !== undefined && params.gop !== gopSeconds) {
    refuse([
      { path: ['gop'], message: `Give a gop of ${gopSeconds}, or none: all video streams of an output have the same.` },
    ]);
  }
  const entry = videoEntryOf('track', params, gopSeconds ?? defaults.gopSeconds);
  refuse(videoStreamIssues(entry));
  const { scaling, picture } = templateQuerySchema.parse(video.query);
  const track = changedTrack(probe.video, picture);
  const item = singleRung(entry, scaling?.fit ?? 'contain', track, video.durationSeconds ?? 0);
  const name = numberedName(`${item.rung.height}p`, takenNames);
  const { num, den } = item.frameRate;
  const frames = { startFrame: 0, endFrame: Math.ceil(((video.durationSeconds ?? 0) * num) / den) };
  return {
    entry: { ...entry, name },
    planned: videoStream({ item, name, segmentSeconds }),
    cpuSeconds: estimatedCpuSeconds(frames, item, [item.rung]),
  };
}

function audioTrack({ video, probe, params, segmentSeconds, takenNames }: TrackRequest): TrackPlan {
  const entry = audioEntryOf('track', params);
  const item = singleRendition(entry, probe.audio);
  if (!item) throw new ValidationFailed({ type: ['The source has no audio.'] });
  const { language } = item.rendition;
  if (params.language !== undefined && !covers(params.language, language)) {
    const languages = [...new Set(probe.audio.map((track) => track.language))].join(', ');
    refuse([{ path: ['language'], message: `The source has no audio in ${params.language}. It has: ${languages}.` }]);
  }
  const name = numberedName(
    `audio-${language
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 20)}`,
    takenNames,
  );
  return {
    entry: { ...entry, name },
    planned: audioStream({ item, name, segmentSeconds }),
    cpuSeconds: estimatedAudioSeconds(item.rendition, video.durationSeconds ?? 0),
  };
}

function refuse(issues: QueryIssue[]): void {
  if (issues.length === 0) return;
  throw new ValidationFailed(
    Object.fromEntries(issues.map(({ path, message }) => [['input_params', ...path].join('.'), [message]])),
  );
}

/** What the streams of a video can be made of. Undefined when its source is not probed. */
export async function findSource(video: Video): Promise<ProbeResult | undefined> {
  const probe = await findProbe(video);
  if (!probe || video.query === null) return probe;
  const { tracks } = templateQuerySchema.parse(video.query);
  return { ...probe, audio: chosenAudio(probe.audio, tracks) };
}

export type SourceTrack = Pick<StreamEdit, 'sourceStreamIndex' | 'chosenTrack'>;

/**
 * The audio tracks that an edit chooses from: all of the source, or only the one that the stream was encoded from. An
 * older stream may be that of a single mono track.
 */
export function audioChoices({ sourceStreamIndex, chosenTrack }: SourceTrack, tracks: SourceAudio[]): SourceAudio[] {
  if (sourceStreamIndex === undefined) return tracks;
  const isSource = ({ streamIndex, chosen }: SourceAudio): boolean =>
    streamIndex === sourceStreamIndex && chosen?.position === chosenTrack;
  const joined = joinMonoTracks(tracks).filter(isSource);
  return joined.length > 0 ? joined : tracks.filter(isSource);
}
