import type { Random } from '../../faults/random.ts';
import type { Chance } from './chance.ts';
import { audioCodecs, containers } from './containers.ts';
import { stepSeconds } from './random-video.ts';
import { type AudioTrack, type ContainerName, endSeconds, type VideoTrack } from './source.ts';

const languages = ['eng', 'deu', 'fra'];

/** The audio tracks of the program that has to be chosen, each with different tones. */
export function randomAudio(
  random: Random,
  container: ContainerName,
  { chance, video }: { chance: Chance; video: VideoTrack | undefined },
): AudioTrack[] {
  const { audio: codecs, maxAudio, startsDiffer, lengthsDiffer, hasLanguages, hasRoles } = containers[container];
  const codec = random.pick(codecs);
  const { channels, sampleRatesHz } = audioCodecs[codec];
  const count = chance(0.35) ? random.pick([...(video ? [0] : []), 2, 3]) : 1;
  const length = video ? Math.max(stepSeconds * 3, Math.round(endSeconds(video) / stepSeconds) * stepSeconds) : 2;
  const isPair = chance(0.3) && codec === 'pcm' && maxAudio > 1;
  const main: AudioTrack = {
    type: 'audio',
    codec,
    program: 1,
    role: 'main',
    isDefault: true,
    ...tonesOf(0),
    language: hasLanguages && chance(0.5) ? random.pick(languages) : null,
    channels: random.pick(channels),
    sampleRateHz: random.pick(sampleRatesHz),
    startSeconds: 0,
    seconds: length,
  };
  if (isPair) return pairOf(main);
  const tracks = Array.from({ length: Math.min(count, maxAudio) }, (_, n): AudioTrack => {
    const late = chance(0.2) && startsDiffer ? random.pick([1, 2, 3]) * stepSeconds : 0;
    const seconds = chance(0.35) && lengthsDiffer ? random.between(3, 15) * stepSeconds : length;
    return {
      ...main,
      ...tonesOf(n),
      channels: random.pick(channels),
      isDefault: n === 0,
      // several tracks have different languages
      language: count > 1 && hasLanguages ? languages[n]! : main.language,
      startSeconds: late,
      seconds: Math.max(3 * stepSeconds, seconds - late),
    };
  });
  if (tracks.length > 1 && hasRoles && chance(0.5)) giveRoles(random, tracks);
  return tracks;
}

/** The flag of a description does not make it the main track. */
function giveRoles(random: Random, tracks: AudioTrack[]): void {
  const other = tracks.at(-1)!;
  other.role = random.pick(['description', 'commentary']);
  other.language = tracks[0]!.language;
  if (other.role === 'description' && random.share() < 0.5) {
    other.isDefault = true;
    for (const track of tracks) if (track !== other) track.isDefault = false;
  }
}

/** Left and right as two mono tracks, as cameras record them. */
const pairOf = (main: AudioTrack): AudioTrack[] => [
  { ...main, role: 'left', language: null, channels: 1 },
  { ...main, role: 'right', language: null, channels: 1, isDefault: false, ...tonesOf(1) },
];

/** The audio of a program that must not be chosen. */
export const otherProgramAudio = (main: AudioTrack): AudioTrack => ({
  ...main,
  program: 2,
  ...tonesOf(3),
  isDefault: false,
  role: 'main',
  startSeconds: 0,
});

/** Frequencies that differ by more than any window of the checks confuses, and by no whole factor. */
const tonesOf = (track: number): Pick<AudioTrack, 'firstHz' | 'lastHz'> => ({
  firstHz: 430 + 310 * track,
  lastHz: 570 + 310 * track,
});
