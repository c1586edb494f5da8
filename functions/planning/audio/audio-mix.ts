import type { AudioMix } from '../../../shared/protocol/encode-spec.ts';
import type { AudioTrack } from '../../../shared/protocol/probe-result.ts';

/** Speakers by FFmpeg's names, in the order of 7.1. */
const surround = ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR', 'SL', 'SR'];
const half = Math.SQRT1_2;

/** Where the speakers that 7.1 lacks are heard instead. */
const folds: Record<string, Record<string, number>> = {
  LFE2: { LFE: 1 },
  ...{ FLC: { FL: half, FC: half }, FRC: { FR: half, FC: half }, BC: { BL: half, BR: half } },
  ...{ TFL: { FL: half }, TFR: { FR: half }, TFC: { FC: half }, TC: { FL: 0.5, FR: 0.5 } },
  ...{ TBL: { BL: half }, TBR: { BR: half }, TBC: { BL: 0.5, BR: 0.5 }, TSL: { SL: half }, TSR: { SR: half } },
  ...{ BFL: { FL: half }, BFR: { FR: half }, BFC: { FC: half }, WL: { FL: half }, WR: { FR: half } },
  ...{ SDL: { SL: half }, SDR: { SR: half }, DL: { FL: 1 }, DR: { FR: 1 } },
};

/** Names of FFmpeg for layouts with speakers above, below or beyond 7.1. All others are mixed by FFmpeg's own rules. */
const largeLayouts: Record<string, string> = {
  hexadecagonal: 'FL+FR+FC+BL+BR+BC+SL+SR+TFL+TFC+TFR+TBL+TBC+TBR+WL+WR',
  '22.2': 'FL+FR+FC+LFE+BL+BR+FLC+FRC+BC+SL+SR+TC+TFL+TFC+TFR+TBL+TBC+TBR+LFE2+TSL+TSR+BFC+BFL+BFR',
  '5.1.2': 'FL+FR+FC+LFE+BL+BR+TFL+TFR',
  '5.1.4': 'FL+FR+FC+LFE+BL+BR+TFL+TFR+TBL+TBR',
  '7.1.2': 'FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR',
  '7.1.4': 'FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR+TBL+TBR',
};

/** What is done to a track before it is brought to the layout that was asked for: nothing where FFmpeg knows and mixes its layout. */
export type Mixing = { mix: AudioMix | null; channels: number; warning: string | null };

type Source = Pick<AudioTrack, 'channels' | 'channelLayout'>;

/** How a track becomes at most `asked` channels. Never more than it has. */
export function mixingOf({ channels: count, channelLayout }: Source, asked: number): Mixing {
  const channels = Math.min(asked, count);
  if (channelLayout?.startsWith('ambisonic') && count >= 4) return ambisonic(asked);
  const speakers = speakersOf(channelLayout);
  if (speakers?.length === count && speakers.some((speaker) => speaker in folds)) return folded(speakers, asked);
  const isKnown = channelLayout !== null && count <= surround.length;
  return isKnown || count <= 2 ? { mix: null, channels, warning: null } : unnamed(count, channels);
}

/** `12 channels (FL+FR+…)` is FFmpeg's way for a layout without a name. */
const speakersOf = (layout: string | null | undefined): string[] | undefined =>
  ((layout && largeLayouts[layout]) || /^\d+ channels \(([A-Z0-9+]+)\)$/.exec(layout ?? '')?.[1])?.split('+');

function folded(speakers: string[], asked: number): Mixing {
  const parts = speakers.map((speaker) => folds[speaker] ?? { [speaker]: 1 });
  const used = new Set(parts.flatMap(Object.keys));
  const isLarge = [
    ['BL', 'SL'],
    ['BR', 'SR'],
  ].some((pair) => pair.every((speaker) => used.has(speaker)));
  // without both pairs of surround speakers, the one that is there is that of 5.1
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

/** Channels without names are taken in their order. One or two get what all of them have. */
function unnamed(count: number, channels: number): Mixing {
  const found = `The audio has ${count} channels and does not say which is which:`;
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

/** First-order signals are all that two speakers need: W, and Y as the difference between left and right. */
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

/** All turned down alike, so that the loudest output does not exceed full scale and the balance stays. */
function withoutClipping(gains: AudioMix): AudioMix {
  const loudest = Math.max(1, ...gains.map((inputs) => inputs.reduce((sum, { gain }) => sum + gain, 0)));
  return gains.map((inputs) => inputs.map(({ input, gain }) => ({ input, gain: gain / loudest })));
}

const layoutText = (channels: number): string =>
  ({ 1: 'mono', 2: 'stereo', 3: '3.0', 4: '4.0', 5: '5.0', 6: '5.1', 7: '6.1', 8: '7.1' })[channels] ??
  `${channels} channels`;
