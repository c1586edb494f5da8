import type { AudioTrack } from '../../../shared/protocol/probe-result.ts';

/** A track to encode: one of the source, or several mono tracks of it as one. */
export type SourceAudio = AudioTrack & {
  /** the tracks in the order of the channels; absent for one track */
  joined?: number[];
  /** of tracks that a template has chosen: their position there, and what they are mixed to at most */
  chosen?: { position: number; maxChannels: number };
};

/** Tracks of one recording are equally long; the last block of one of them may be missing. */
const toleranceSeconds = 1;

/** FFmpeg's names of layouts that files store as mono tracks, and their speakers. The first complete one is used. */
const layouts: [layout: string, speakers: string[]][] = [
  ['5.1', ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR']],
  ['5.1', ['FL', 'FR', 'FC', 'LFE', 'SL', 'SR']],
  ['stereo', ['FL', 'FR']],
];

/**
 * The tracks of a source with the mono tracks that belong together as one. Cameras and editing programs write each
 * channel to a separate track, without a word about speakers: the first two are left and right. Which of eight such
 * tracks are 5.1, a mix without speech or silence is not known, so the others are left out. Tracks of different
 * languages, titles or roles stay apart; so do two of one language unless they are uncompressed, as cameras write them.
 */
export function joinMonoTracks(tracks: readonly SourceAudio[]): SourceAudio[] {
  if (areChosen(tracks)) return [...tracks];
  const recordings = [...Map.groupBy(tracks.filter(isChannel), recordingOf).values()].map((together) =>
    together.filter((track) => isParallel(track, together[0]!)),
  );
  const replaced = new Map<AudioTrack, SourceAudio | undefined>();
  for (const recording of recordings) {
    const joined = joinedTrack(recording);
    if (!joined) continue;
    for (const track of recording) replaced.set(track, undefined);
    replaced.set(recording[0]!, joined);
  }
  return tracks.flatMap((track) => (replaced.has(track) ? (replaced.get(track) ?? []) : track));
}

/** Whether a template says which tracks are used, and in which order. */
export const areChosen = (tracks: readonly SourceAudio[]): boolean => tracks.some(({ chosen }) => chosen);

const isChannel = ({ channels, language, codec }: AudioTrack): boolean =>
  channels === 1 && (language === 'und' || codec.startsWith('pcm_'));

const recordingOf = ({ language, title, roles = [], codec, sampleRateHz }: AudioTrack): string =>
  JSON.stringify([language, title, roles, codec, sampleRateHz]);

const endOf = ({ startSeconds, durationSeconds }: AudioTrack): number => startSeconds + durationSeconds;

const isParallel = (a: AudioTrack, b: AudioTrack): boolean =>
  Math.abs(a.startSeconds - b.startSeconds) <= toleranceSeconds && Math.abs(endOf(a) - endOf(b)) <= toleranceSeconds;

function joinedTrack(recording: AudioTrack[]): SourceAudio | undefined {
  const found = layouts
    .map(([layout, speakers]) => ({ layout, parts: speakers.map((one) => recording.find(plays(one))) }))
    .find(({ parts }) => parts.every((part) => part !== undefined));
  const isNamed = recording.some((track) => speakerOf(track) !== 'FC');
  const { layout, parts } = found ?? { layout: 'stereo', parts: isNamed ? [] : recording.slice(0, 2) };
  if (parts.length < 2) return undefined;
  return { ...joinTracks(parts as AudioTrack[], layout), isDefault: recording.some(({ isDefault }) => isDefault) };
}

/** Tracks as the channels of one, until the last of them ends. */
export function joinTracks(parts: AudioTrack[], channelLayout: string): SourceAudio {
  const startSeconds = Math.min(...parts.map((part) => part.startSeconds));
  return {
    ...parts[0]!,
    channels: parts.length,
    channelLayout,
    startSeconds,
    durationSeconds: Math.max(...parts.map(endOf)) - startSeconds,
    joined: parts.map(({ streamIndex }) => streamIndex),
  };
}

/** FFmpeg describes a single speaker as `1 channels (FL)`, and the center, which is also any mono sound, as `mono`. */
const speakerOf = ({ channelLayout }: AudioTrack): string =>
  /^1 channels \((\w+)\)$/.exec(channelLayout ?? '')?.[1] ?? 'FC';

const plays =
  (speaker: string) =>
  (track: AudioTrack): boolean =>
    speakerOf(track) === speaker;
