import { defaultPixelFormat } from '../../shared/media/codecs.ts';
import type { AudioTrack, VideoTrack } from '../../shared/protocol/probe-result.ts';
import type { InputParams } from '../templates/input-params.ts';
import { type AudioEntry, audioEntrySchema, type VideoEntry, videoEntrySchema } from '../templates/query-structure.ts';
import { type PlannedAudio, planAudio } from './audio/audio-plan.ts';
import { joinMonoTracks } from './audio/join-mono.ts';
import { displaySize } from './video/display-size.ts';
import { rateOver } from './video/frame-rate.ts';
import { type PlannedRung, planRungs } from './video/rungs.ts';
import type { Fit } from './video/scale.ts';

/** The template entry for the input_params of one video stream. A 10-bit profile implies a 10-bit pixel format. */
export const videoEntryOf = (name: string, params: InputParams, gopSeconds: number): VideoEntry =>
  videoEntrySchema.parse({
    gop: gopSeconds,
    pixel_format: defaultPixelFormat(params.codec, params.profile),
    ...params,
    name,
  });

/** The template entry for the input_params of one audio stream: of the default track unless a language is given. */
export const audioEntryOf = (name: string, { language, ...params }: InputParams): AudioEntry =>
  audioEntrySchema.parse({ ...params, name, languages: language === undefined ? 'default' : [language] });

/** Plans a single rung of a video that lasts some seconds. */
export function singleRung(entry: VideoEntry, fit: Fit, track: VideoTrack, seconds: number): PlannedRung {
  const source = { display: displaySize(track), frameRate: rateOver(track, seconds) };
  return planRungs([entry], fit, source)[0]!;
}

/** Plans one rendition of the first track that the entry selects; undefined when the source has no audio. */
export const singleRendition = (entry: AudioEntry, tracks: AudioTrack[]): PlannedAudio | undefined => {
  const [first] = planAudio(entry, joinMonoTracks(tracks), new Set());
  return first && { ...first, rendition: { ...first.rendition, name: entry.name } };
};
