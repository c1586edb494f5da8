import type { Rational } from '../../../shared/media/rational.ts';

export type VideoCodec =
  | 'h264'
  | 'hevc'
  | 'mpeg4'
  | 'mpeg2'
  | 'vp8'
  | 'vp8 with alpha'
  | 'vp9'
  | 'vp9 with alpha'
  | 'mjpeg'
  | 'prores'
  | 'prores with alpha'
  | 'animation'
  | 'animation with alpha'
  | 'png with alpha'
  | 'ffv1';
export type AudioCodec = 'aac' | 'mp3' | 'mp2' | 'ac3' | 'opus' | 'vorbis' | 'flac' | 'pcm';
export type ContainerName = 'mp4' | 'mov' | 'mkv' | 'webm' | 'ts' | 'avi' | 'flv' | 'mxf' | 'mpg';

/** What a random source contains, track by track in the order of the file. Times are in seconds of the file. */
export type Source = {
  /** its position in the run, from 1 */
  number: number;
  container: ContainerName;
  tracks: Track[];
  /** of the video tracks of MP4 and MOV; null for that of the muxer */
  timescale: number | null;
  /** the time at which the clock of the file starts */
  clockSeconds: number;
  /** `fps` of the template */
  fpsCap: number | null;
  /** `scaling.background` of the template; black without it */
  background: readonly [number, number, number] | null;
};

export type Track = VideoTrack | AudioTrack | TextTrack;

/** `main` is the track that has to be chosen. The pictures of all others show numbers from 512 on. */
export type VideoRole = 'main' | OtherVideoRole;
export type OtherVideoRole = 'thumbnail' | 'disabled' | 'smaller' | 'cover';

export type Shape = { width: number; height: number; sampleAspectRatio: Rational };

export type VideoTrack = {
  type: 'video';
  role: VideoRole;
  codec: VideoCodec;
  program: number;
  isDefault: boolean;
  startSeconds: number;
  /** of the numbers: frame n is shown from startSeconds + n / rate on */
  rate: Rational;
  cadence: Cadence;
  /** the frames of the file, from 0; the others are left out, so that the frame before them lasts longer */
  numbers: number[];
  /** what the picture of frame 0 shows */
  firstNumber: number;
  shape: Shape;
  /** the shape from this number on */
  change: { atNumber: number; shape: Shape } | null;
  colours: Colours;
  /** by how many degrees clockwise players turn the stored frames; `shape` is that of the turned ones */
  turn: Turn;
  keyFrameEvery: number;
  bFrames: number;
};

/**
 * `constant` has every frame, `drops` lacks every eighth, `scroll` alternates between motion and still pictures,
 * `static` has a few pictures in irregular steps, `gap` lacks a second in the middle, `single` is one picture.
 */
export type Cadence = 'constant' | 'drops' | 'scroll' | 'static' | 'gap' | 'single';

/** How the colours are stored, and whether the file says so. */
export type Colours = 'bt709' | 'bt601' | 'full range' | 'untagged' | 'rgb' | HdrColours;
/** BT.2020 with 10 bits, and one of the two curves of HDR. */
export type HdrColours = 'pq' | 'hlg';
export type Turn = 0 | 90 | 180 | 270;

export type AudioTrack = {
  type: 'audio';
  codec: AudioCodec;
  program: number;
  /** `left` and `right` are the two mono tracks of one recording */
  role: 'main' | 'description' | 'commentary' | 'left' | 'right';
  isDefault: boolean;
  /** ISO 639-2, or null when the file names none */
  language: string | null;
  channels: 1 | 2 | 6;
  sampleRateHz: number;
  startSeconds: number;
  seconds: number;
  /** tones at both ends; between them, the track is silent */
  firstHz: number;
  lastHz: number;
};

export type TextTrack = {
  type: 'text';
  language: string;
  isDefault: boolean;
  isForced: boolean;
  isTelemetry: boolean;
};

export const isVideo = (track: Track): track is VideoTrack => track.type === 'video';
export const isAudio = (track: Track): track is AudioTrack => track.type === 'audio';
export const isText = (track: Track): track is TextTrack => track.type === 'text';

export const isHdr = ({ colours }: VideoTrack): boolean => colours === 'pq' || colours === 'hlg';

export const mainVideo = ({ tracks }: Source): VideoTrack | undefined =>
  tracks.filter(isVideo).find(({ role }) => role === 'main');

/** The audio of the program that has to be chosen. */
export const chosenAudio = ({ tracks }: Source): AudioTrack[] =>
  tracks.filter(isAudio).filter(({ program }) => program === 1);

export const secondsOf = (frames: number, { num, den }: Rational): number => (frames * den) / num;

export const endSeconds = (track: VideoTrack | AudioTrack): number =>
  track.type === 'audio'
    ? track.startSeconds + track.seconds
    : track.startSeconds + secondsOf(track.numbers.at(-1)! + 1, track.rate);

/** The shape of a frame on a screen: width / height. */
export const displayShape = ({ width, height, sampleAspectRatio: { num, den } }: Shape): number =>
  (width * num) / (height * den);

/** A source in one line of the report. */
export function sourceText(source: Source): string {
  const { container, tracks, timescale, clockSeconds, fpsCap, background } = source;
  return [
    container,
    ...tracks.map(trackText),
    ...(timescale === null ? [] : [`timescale ${timescale}`]),
    ...(clockSeconds === 0 ? [] : [`clock from ${clockSeconds} s`]),
    ...(fpsCap === null ? [] : [`fps ${fpsCap}`]),
    ...(background === null ? [] : [`on (${background})`]),
  ].join(', ');
}

function trackText(track: Track): string {
  const words: string[] = [];
  if (track.type === 'text') {
    words.push(track.isTelemetry ? 'telemetry' : 'text', track.language, ...(track.isForced ? ['forced'] : []));
  } else {
    const from = track.startSeconds.toFixed(2);
    const span = `${from}-${endSeconds(track).toFixed(2)} s`;
    const role = track.role === 'main' ? [] : [track.role];
    const program = track.program === 1 ? [] : [`program ${track.program}`];
    if (track.type === 'audio') words.push(track.codec, ...role, `${track.channels} ch`, track.language ?? 'und', span);
    else words.push(track.codec, ...role, shapeText(track), rateText(track), track.colours, ...turnText(track), span);
    words.push(...program);
  }
  return [...words, ...(track.isDefault ? ['default'] : [])].join(' ');
}

function shapeText({ shape, change }: VideoTrack): string {
  const text = ({ width, height, sampleAspectRatio: { num, den } }: Shape): string =>
    `${width}x${height}${num === den ? '' : ` ${num}:${den}`}`;
  return change ? `${text(shape)} then ${text(change.shape)} at ${change.atNumber}` : text(shape);
}

const turnText = ({ turn }: VideoTrack): string[] => (turn === 0 ? [] : [`turned by ${turn}°`]);

const rateText = ({ rate: { num, den }, cadence }: VideoTrack): string =>
  `${den === 1 ? num : `${num}/${den}`} fps ${cadence}`;
