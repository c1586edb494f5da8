import type { AudioTrack } from '../description/source.ts';

/** How long a tone at an end of a track lasts. */
export const toneSeconds = 0.4;

/** A lavfi graph of a track: a tone at its start, another one at its end, and silence between them. */
export function toneGraph({ channels, sampleRateHz, seconds, firstHz, lastHz }: AudioTrack): string {
  const tone = (hz: number): string => `0.5*sin(2*PI*${hz}*t)`;
  const ends = `if(lt(t,${toneSeconds}),${tone(firstHz)},if(gte(t,${seconds - toneSeconds}),${tone(lastHz)},0))`;
  const layout = { 1: 'mono', 2: 'stereo', 6: '5.1' }[channels];
  // the rear channels and the one of low frequencies are silent, as a mix to stereo would weaken the tones otherwise
  const values = Array.from({ length: channels }, (_, channel) => (channel < 2 ? ends : '0'));
  return `aevalsrc='${values.join('|')}':c=${layout}:s=${sampleRateHz}:d=${seconds}`;
}
