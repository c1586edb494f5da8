import { type DecodedSound, soundChannels, soundHz } from './decode.ts';

export type Window = { from: number; to: number };

/** One channel of a window of a sound, from -1 to 1. What lies outside of the sound is left out. */
const channelOf = ({ samples }: DecodedSound, { from, to }: Window, channel: number): number[] => {
  const last = Math.min(Math.floor(to * soundHz), samples.length / soundChannels);
  const found: number[] = [];
  for (let n = Math.max(0, Math.ceil(from * soundHz)); n < last; n++)
    found.push(samples[n * soundChannels + channel]! / 32_768);
  return found;
};

/** The mean power of a channel in a window; 0 for an empty window. */
export function powerOf(sound: DecodedSound, window: Window, channel: number): number {
  const values = channelOf(sound, window, channel);
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value ** 2, 0) / values.length;
}

/** The power of one frequency of a channel in a window, by the algorithm of Goertzel. */
export function tonePower(
  sound: DecodedSound,
  window: Window,
  { hz, channel }: { hz: number; channel: number },
): number {
  const values = channelOf(sound, window, channel);
  if (values.length === 0) return 0;
  const factor = 2 * Math.cos((2 * Math.PI * hz) / soundHz);
  let [last, beforeLast] = [0, 0];
  for (const value of values) [last, beforeLast] = [value + factor * last - beforeLast, last];
  return (2 * (last ** 2 + beforeLast ** 2 - factor * last * beforeLast)) / values.length ** 2;
}

/** The time of the first loud sample of any channel from a time on; undefined when there is none. */
export function firstLoudSeconds({ samples }: DecodedSound, level: number): number | undefined {
  const index = samples.findIndex((value) => Math.abs(value) > level * 32_768);
  return index < 0 ? undefined : Math.floor(index / soundChannels) / soundHz;
}

export const soundSeconds = ({ samples }: DecodedSound): number => samples.length / soundChannels / soundHz;
