import type { Random } from '../../faults/random.ts';
import { type Chance, chanceOf } from './chance.ts';
import { containers } from './containers.ts';
import { otherProgramAudio, randomAudio } from './random-audio.ts';
import { otherVideo, randomVideo, specialPicture } from './random-video.ts';
import {
  type AudioTrack,
  type ContainerName,
  isVideo,
  type Source,
  type TextTrack,
  type Track,
  type VideoTrack,
} from './source.ts';

const names: readonly ContainerName[] = [
  'mp4',
  'mp4',
  'mp4',
  'mov',
  'mov',
  'mkv',
  'mkv',
  'mkv',
  'webm',
  'webm',
  'ts',
  'ts',
  'ts',
  'avi',
  'flv',
  'mxf',
  'mpg',
];
const blue = [10, 100, 200] as const;
const shareOfPlain = 0.15;
/** A live recording starts anywhere. */
const clocks = [0, 0, 600, 37_489];

/**
 * The source of a position, from 1. The same random numbers give the same source. What is special in a picture has its
 * own ones, so that a seed keeps its sources.
 */
export function randomSource(random: Random, special: Random, number: number): Source {
  const source = usualSource(random, number);
  const tracks = source.tracks.map((track) =>
    track.type === 'video' && track.role === 'main' ? specialPicture(special, source.container, track) : track,
  );
  return { ...source, tracks };
}

function usualSource(random: Random, number: number): Source {
  const container = random.pick(names);
  const chance = chanceOf(random, random.share() < shareOfPlain);
  const { startsDiffer, timescales } = containers[container];
  const video = chance(0.05) && startsDiffer ? [] : [randomVideo(random, container, chance)];
  const audio = randomAudio(random, container, { chance, video: video[0] });
  startAtZero([...video, ...audio]);
  const tracks = [...video, ...audio, ...randomTexts(random, container, chance)];
  return {
    number,
    container,
    tracks: withOtherVideo(random, container, { chance, tracks }),
    timescale: chance(0.5) ? random.pick(timescales) : null,
    clockSeconds: container === 'ts' ? random.pick(clocks) : 0,
    fpsCap: chance(0.2) ? 30 : null,
    // not by chance, so that a seed keeps its sources
    background: number % 2 === 0 ? blue : null,
  };
}

function startAtZero(tracks: readonly (VideoTrack | AudioTrack)[]): void {
  const first = Math.min(...tracks.map(({ startSeconds }) => startSeconds));
  for (const track of tracks) track.startSeconds -= first;
}

function randomTexts(random: Random, container: ContainerName, chance: Chance): TextTrack[] {
  const { textCodec } = containers[container];
  if (!chance(0.25) || textCodec === null) return [];
  const text = { type: 'text', isForced: false, isTelemetry: false } as const;
  if (chance(0.3)) return [{ ...text, language: 'eng', isDefault: true, isTelemetry: true }];
  return random.pick([['eng'], ['deu'], ['eng', 'fra']]).map((language, n) => ({
    // ffmpeg writes no code for "deu" into QuickTime
    ...text,
    language: container === 'mov' && language === 'deu' ? 'fra' : language,
    isDefault: n === 0 && chance(0.5),
    // MP4 has no such flag
    isForced: chance(0.2) && textCodec === 'subrip',
  }));
}

/** Adds a video track that must not be chosen, or in MPEG-TS a whole program. */
function withOtherVideo(
  random: Random,
  container: ContainerName,
  { chance, tracks }: { chance: Chance; tracks: Track[] },
): Track[] {
  const roles = containers[container].otherVideo;
  const [main] = tracks.filter(isVideo);
  const audio = tracks.find((track) => track.type === 'audio');
  if (!chance(0.25) || !main || roles.length === 0 || main.cadence === 'single' || main.change) return tracks;
  const role = random.pick(roles);
  const other = otherVideo(main, role);
  if (container === 'ts') {
    const program = [{ ...other, program: 2 }, ...(audio ? [otherProgramAudio(audio)] : [])];
    return random.pick([
      [...program, ...tracks],
      [...tracks, ...program],
    ]);
  }
  // players expect cover art behind the video
  return role === 'cover' || random.share() < 0.3 ? [...tracks, other] : [other, ...tracks];
}
