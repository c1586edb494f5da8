import type { AudioMix } from '../../../shared/protocol/encode-spec.ts';
import type { AudioTrack } from '../../../shared/protocol/probe-result.ts';

/** The speakers of 7.1 in order, by FFmpeg's names. */
const surround = ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR', 'SL', 'SR'];
const half = Math.SQRT1_2;

/** For speakers that 7.1 does not have: the speakers that play them instead, with gains. */
const folds: Record<string, Record<string, number>> = {
  LFE2: { LFE: 1 },
  FLC: { FL: half, FC: half },
  FRC: { FR: half, FC: half },
  BC: { BL: half, BR: half },
  TFL: { FL: half },
  TFR: { FR: half },
  TFC: { FC: half },
  TC: { FL: 0.5, FR: 0.5 },
  TBL: { BL: half },
  TBR: { BR: half },
  TBC: { BL: 0.5, BR: 0.5 },
  TSL: { SL: half },
  TSR: { SR: half },
  BFL: { FL: half },
  BFR: { FR: half },
  BFC: { FC: half },
  WL: { FL: half },
  WR: { FR: half },
  SDL: { SL: half },
  SDR: { SR: half },
  DL: { FL: 1 },
  DR: { FR: 1 },
};

/** FFmpeg's names of layouts with height, low or wide speakers. FFmpeg mixes all other named layouts itself. */
const largeLayouts: Record<string, string> = {
  hexadecagonal: 'FL+FR+FC+BL+BR+BC+SL+SR+TFL+TFC+TFR+TBL+TBC+TBR+WL+WR',
  '22.2': 'FL+FR+FC+LFE+BL+BR+FLC+FRC+BC+SL+SR+TC+TFL+TFC+TFR+TBL+TBC+TBR+LFE2+TSL+TSR+BFC+BFL+BFR',
  '5.1.2': 'FL+FR+FC+LFE+BL+BR+TFL+TFR',
  '5.1.4': 'FL+FR+FC+LFE+BL+BR+TFL+TFR+TBL+TBR',
  '7.1.2': 'FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR',
  '7.1.4': 'FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR+TBL+TBR',
};

/** How a track is mixed. `mix` is null where FFmpeg knows the layout and mixes it itself. */
export type Mixing = { mix: AudioMix | null; channels: number; warning: string | null };

type Source = Pick<AudioTrack, 'channels' | 'channelLayout'>;

/** How to mix a track to at most `asked` channels, and to no more than it has. */
export function mixingOf({ channels: count, channelLayout }: Source, asked: number): Mixing {
  const channels = Math.min(asked, count);
  if (channelLayout?.startsWith('ambisonic') && count >= 4) return ambisonic(asked);
  const speakers = speakersOf(channelLayout);
  if (speakers?.length === count && speakers.some((speaker) => speaker in folds)) return folded(speakers, asked);
  const isKnown = channelLayout !== null && count <= surround.length;
  return isKnown || count <= 2 ? { mix: null, channels, warning: null } : unnamed(count, channels);
}

/** FFmpeg describes a layout without a name as `12 channels (FL+FR+…)`. */
const speakersOf = (layout: string | null | undefined): string[] | undefined =>
  ((layout && largeLayouts[layout]) || /^\d+ channels \(([A-Z0-9+]+)\)$/.exec(layout ?? '')?.[1])?.split('+');

function folded(speakers: string[], asked: number): Mixing {
  const parts = speakers.map((speaker) => folds[speaker] ?? { [speaker]: 1 });
  const used = new Set(parts.flatMap(Object.keys));
  const isLarge = [
    ['BL', 'SL'],
    ['BR', 'SR'],
  ].some((pair) => pair.every((speaker) => used.has(speaker)));
  // a single pair of surround speakers is the pair of 5.1
  const target = (speaker: string): string => (isLarge ? speaker : speaker.replace(/^S(?=[LR]$)/, 'B'));
  const outputs = isLarge ? surround : surround.slice(0, 6);
  const gains = outputs.map((output) =>
    parts.flatMap((part, input) =>
      Object.entries(part).flatMap(([speaker, gain]) => (target(speaker) === output ? [{ input, gain }] : [])),
    ),
  );
  const channels = Math.min(asked, outputs.length);
  return {
    mix: withoutClipping(gains),
    channels,
    warning: `The ${speakers.length} channels of the audio (${speakers.join(', ')}) are mixed to ${layoutText(channels)}.`,
  };
}

/** Channels without names are used in order. Mono and stereo are a mix of all channels. */
function unnamed(count: number, channels: number): Mixing {
  const found = `The audio has ${count} channels without a channel layout:`;
  if (count <= surround.length) {
    return { mix: inOrder(count), channels, warning: `${found} they are taken for ${layoutText(count)}.` };
  }
  if (channels > 2) {
    const warning = `${found} the first ${channels} are used as ${layoutText(channels)}, the others are left out.`;
    return { mix: inOrder(channels), channels, warning };
  }
  const gains = Array.from({ length: channels }, (_, output) =>
    Array.from({ length: count }, (_, input) => ({ input, gain: 1 })).filter(
      ({ input }) => input % channels === output,
    ),
  );
  const how = channels === 1 ? 'all are mixed to one' : 'odd ones are mixed to the left, even ones to the right';
  return { mix: withoutClipping(gains), channels, warning: `${found} ${how}.` };
}

/** Stereo needs only two first-order signals: W, and Y, which is the difference between left and right. */
function ambisonic(asked: number): Mixing {
  const [w, y] = [
    { input: 0, gain: 0.5 },
    { input: 1, gain: 0.5 },
  ];
  const channels = Math.min(asked, 2);
  return {
    mix: [
      [w, y],
      [w, { ...y, gain: -0.5 }],
    ],
    channels,
    warning: `The ambisonic audio is mixed to ${layoutText(channels)}.`,
  };
}

const inOrder = (count: number): AudioMix => Array.from({ length: count }, (_, input) => [{ input, gain: 1 }]);

/** Scales all gains by one factor, so that no output exceeds full scale and the balance is kept. */
function withoutClipping(gains: AudioMix): AudioMix {
  const loudest = Math.max(1, ...gains.map((inputs) => inputs.reduce((sum, { gain }) => sum + gain, 0)));
  return gains.map((inputs) => inputs.map(({ input, gain }) => ({ input, gain: gain / loudest })));
}

const layoutText = (channels: number): string =>
  ({ 1: 'mono', 2: 'stereo', 3: '3.0', 4: '4.0', 5: '5.0', 6: '5.1', 7: '6.1', 8: '7.1' })[channels] ??
  `${channels} channels`;
