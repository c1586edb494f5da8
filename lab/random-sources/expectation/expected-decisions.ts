import { toNumber } from '../../../shared/media/rational.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import { videoCodecs } from '../description/containers.ts';
import {
  type AudioTrack,
  chosenAudio,
  endSeconds,
  isAudio,
  isText,
  isVideo,
  mainVideo,
  type Source,
  type VideoTrack,
} from '../description/source.ts';
import { chosenTracks, expectedRate, presentationSeconds } from './expected-times.ts';

type Code = Decision['code'];
/** What `meta.decisions` must have, and what it may have. */
export type ExpectedDecisions = { required: ReadonlySet<Code>; allowed: ReadonlySet<Code> };

type Necessity = 'required' | 'allowed' | false | undefined;

/** Differences below are packets of audio, those above are clear. */
const [smallestGapSeconds, clearGapSeconds] = [0.03, 0.3];

export function expectedDecisions(source: Source): ExpectedDecisions {
  const video = mainVideo(source);
  const necessities: Partial<Record<Code, Necessity>> = {
    ...(video ? { ...ofPicture(video, source), ...ofOtherVideo(source) } : {}),
    ...ofAudio(source),
    text_track_left_out: source.tracks.filter(isText).some(({ isTelemetry }) => isTelemetry) && 'required',
    track_extended: extension(source),
  };
  const having = (...wanted: Necessity[]): Set<Code> =>
    new Set(Object.entries(necessities).flatMap(([code, one]) => (wanted.includes(one) ? [code as Code] : [])));
  return { required: having('required'), allowed: having('required', 'allowed') };
}

function ofPicture(track: VideoTrack, { fpsCap }: Source): Partial<Record<Code, Necessity>> {
  const { codec, cadence, rate, change, colours } = track;
  const { most } = expectedRate({ rate, cadence: 'constant' }, fpsCap);
  // exactly the rate that the template asks for needs no word
  const isCapped = toNumber(rate) > most * 1.001 && most !== fpsCap;
  const isStill = cadence === 'static' || cadence === 'single';
  // a hole leaves no doubt about the rate
  const mayVary = cadence === 'gap' || cadence === 'single';
  return {
    frame_rate_chosen: mayVary ? 'allowed' : cadence !== 'constant' && 'required',
    frame_rate_capped: isCapped && (isStill ? 'allowed' : 'required'),
    frame_size_chosen: change !== null && 'required',
    transparency_composited: videoCodecs[codec].hasAlpha === true && 'required',
    color_assumed: colours === 'untagged' ? 'required' : colours === 'rgb' && 'allowed',
  };
}

/** Tracks with a smaller share of the pictures of another one are no alternative to it. */
const fewPictures = 0.05;

function ofOtherVideo({ container, tracks }: Source): Partial<Record<Code, Necessity>> {
  const others = tracks.filter(isVideo).filter(({ role }) => role !== 'main');
  if (others.length === 0) return {};
  const isFew = ({ numbers }: VideoTrack): boolean => numbers.length < fewPictures * most;
  const most = Math.max(...tracks.filter(isVideo).map(({ numbers }) => numbers.length));
  const [hasFew, hasAlternative] = [others.some(isFew), others.some((track) => !isFew(track))];
  const necessity = (isExpected: boolean): Necessity =>
    isExpected && container !== 'ts' && others.every(({ role }) => role !== 'cover') ? 'required' : 'allowed';
  return {
    video_track_left_out: necessity(hasFew),
    video_track_chosen: necessity(hasAlternative),
    program_chosen: container === 'ts' && 'required',
  };
}

function ofAudio(source: Source): Partial<Record<Code, Necessity>> {
  const [all, chosen] = [source.tracks.filter(isAudio), chosenAudio(source)];
  const has = (wanted: AudioTrack['role']): boolean => chosen.some(({ role }) => role === wanted);
  const isOverridden = chosen.some(({ role, isDefault }) => role === 'description' && isDefault);
  return {
    audio_track_chosen: isOverridden ? 'required' : chosen.length > 1 && 'allowed',
    audio_track_left_out: all.length > chosen.length && 'allowed',
    audio_tracks_joined: has('left') && 'required',
  };
}

function extension(source: Source): Necessity {
  const seconds = presentationSeconds(source);
  const gaps = chosenTracks(source).flatMap((track) => [track.startSeconds, seconds - endSeconds(track)]);
  const largest = Math.max(...gaps);
  return largest > clearGapSeconds ? 'required' : largest > smallestGapSeconds && 'allowed';
}
