import { defaults } from '../../shared/defaults.ts';
import type { AudioTrack, ProbeResult } from '../../shared/protocol/probe-result.ts';
import { ValidationFailed } from '../common/errors.ts';
import { numberedName } from '../common/numbered-name.ts';
import { covers } from '../planning/audio/audio-plan.ts';
import { audioStream, type PlannedStream, videoStream } from '../planning/plan-video.ts';
import { audioEntryOf, singleRendition, singleRung, videoEntryOf } from '../planning/single-track.ts';
import type { StreamEdit, Video } from '../table/records.ts';
import type { InputParams } from '../templates/input-params.ts';
import { type QueryIssue, videoStreamIssues } from '../templates/stream-rules.ts';
import { templateQuerySchema } from '../templates/template-query.ts';

/** A track to be: the entry that says how it is encoded, and what comes of it for this source. */
export type Track = { entry: NonNullable<StreamEdit['entry']>; planned: PlannedStream };

type Wish = {
  video: Video;
  probe: ProbeResult;
  type: StreamEdit['type'];
  params: InputParams;
  segmentSeconds: number;
  /** what the other tracks have; null leaves it to the parameters */
  gopSeconds: number | null;
  /** names of tracks that are taken; the new one is added */
  takenNames: Set<string>;
};

/** @throws ValidationFailed for parameters that this source or the other tracks do not allow */
export const planTrack = (wish: Wish): Track => (wish.type === 'audio' ? audioTrack(wish) : videoTrack(wish));

function videoTrack({ video, probe, params, segmentSeconds, gopSeconds, takenNames }: Wish): Track {
  if (!probe.video) throw new ValidationFailed({ type: ['The source has no video.'] });
  if (gopSeconds !== null && params.gop !== undefined && params.gop !== gopSeconds) {
    refuse([{ path: ['gop'], message: `Give a gop of ${gopSeconds}, or none: all video of an output shares it.` }]);
  }
  const entry = videoEntryOf('track', params, gopSeconds ?? defaults.gopSeconds);
  refuse(videoStreamIssues(entry));
  const fit = templateQuerySchema.parse(video.query).scaling?.fit ?? 'contain';
  const item = singleRung(entry, fit, probe.video);
  const name = numberedName(`${item.rung.height}p`, takenNames);
  return { entry: { ...entry, name }, planned: videoStream({ item, name, segmentSeconds }) };
}

function audioTrack({ probe, params, segmentSeconds, takenNames }: Wish): Track {
  const entry = audioEntryOf('track', params);
  const item = singleRendition(entry, probe.audio);
  if (!item) throw new ValidationFailed({ type: ['The source has no audio.'] });
  const { language } = item.rendition;
  if (params.language !== undefined && !covers(params.language, language)) {
    const there = [...new Set(probe.audio.map((track) => track.language))].join(', ');
    refuse([{ path: ['language'], message: `The source has no audio in ${params.language}. It has: ${there}.` }]);
  }
  const name = numberedName(
    `audio-${language
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 20)}`,
    takenNames,
  );
  return { entry: { ...entry, name }, planned: audioStream({ item, name, segmentSeconds }) };
}

function refuse(issues: QueryIssue[]): void {
  if (issues.length === 0) return;
  throw new ValidationFailed(
    Object.fromEntries(issues.map(({ path, message }) => [['input_params', ...path].join('.'), [message]])),
  );
}

/** The audio tracks of the source that an edit may encode: all, or the one that the stream was encoded from before. */
export const selectableAudio = (
  { sourceStreamIndex }: Pick<StreamEdit, 'sourceStreamIndex'>,
  tracks: AudioTrack[],
): AudioTrack[] =>
  sourceStreamIndex === undefined ? tracks : tracks.filter(({ streamIndex }) => streamIndex === sourceStreamIndex);
