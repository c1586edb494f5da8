import { type AudioTrack, chosenAudio, endSeconds, type Source } from '../description/source.ts';
import { presentationSeconds, slackSeconds } from '../expectation/expected-times.ts';
import { toneSeconds } from '../making/tone-graph.ts';
import type { DecodedSound } from '../reading/decode.ts';
import { firstLoudSeconds, powerOf, soundSeconds, tonePower, type Window } from '../reading/tones.ts';

type Heard = DecodedSound & { isDefault: boolean };

const loudPower = 0.003;
const silentPower = 0.0002;
const loudLevel = 0.1;
/** Away from the ends of a tone, which codecs smear. */
const marginSeconds = 0.1;

/** What is wrong with the audio renditions, in sentences. */
export function checkSound(source: Source, heard: readonly Heard[]): string[] {
  const wanted = renditionsOf(chosenAudio(source));
  if (heard.length !== wanted.length) return [`there are ${heard.length} audio renditions instead of ${wanted.length}`];
  const found = wanted.flatMap((tracks) => {
    const own = heard.find((sound) => tracks.every((track, n) => hasFirstTone(sound, track, channelOf(tracks, n))));
    if (!own)
      return [`no audio rendition has the tone of ${tracks[0]!.firstHz} Hz at ${tracks[0]!.startSeconds.toFixed(1)} s`];
    const isMain = tracks[0]!.role !== 'description' && tracks[0]!.role !== 'commentary';
    return [
      ...tracks.flatMap((track, n) => checkTrack(source, track, own, channelOf(tracks, n))),
      ...(own.isDefault && !isMain ? [`the ${tracks[0]!.role} is the main audio track`] : []),
    ];
  });
  return found;
}

/** Two mono tracks of one recording are one rendition with a channel each. */
const renditionsOf = (tracks: readonly AudioTrack[]): AudioTrack[][] =>
  tracks.some(({ role }) => role === 'left') ? [[...tracks]] : tracks.map((track) => [track]);
const channelOf = (joined: readonly AudioTrack[], n: number): number => (joined.length === 1 ? 0 : n);

const firstTone = ({ startSeconds }: AudioTrack): Window => ({
  from: startSeconds + marginSeconds,
  to: startSeconds + toneSeconds - marginSeconds,
});

const hasFirstTone = (sound: DecodedSound, track: AudioTrack, channel: number): boolean =>
  isTone(sound, firstTone(track), { hz: track.firstHz, channel });

/** Most of what is heard in a window is one frequency. */
function isTone(sound: DecodedSound, window: Window, tone: { hz: number; channel: number }): boolean {
  const power = tonePower(sound, window, tone);
  return power > loudPower && power > powerOf(sound, window, tone.channel) * 0.7;
}

function checkTrack(source: Source, track: AudioTrack, sound: DecodedSound, channel: number): string[] {
  const [start, end, seconds] = [track.startSeconds, endSeconds(track), presentationSeconds(source)];
  const found: string[] = [];
  const late = slackSeconds(source);
  const lastTone = { from: end - toneSeconds + marginSeconds, to: end - marginSeconds };
  if (!isTone(sound, lastTone, { hz: track.lastHz, channel }))
    found.push(`the tone of ${track.lastHz} Hz is not at ${end.toFixed(1)} s`);
  const silences: Window[] = [
    { from: 0, to: start - marginSeconds },
    { from: start + toneSeconds + marginSeconds, to: end - toneSeconds - marginSeconds },
    { from: end + marginSeconds, to: seconds },
  ];
  for (const { from, to } of silences)
    if (to > from && powerOf(sound, { from, to }, channel) > silentPower)
      found.push(`from ${from.toFixed(2)} to ${to.toFixed(2)} s the audio is not silent`);
  const onset = firstLoudSeconds(sound, loudLevel);
  if (onset !== undefined && Math.abs(onset - start) > late + 0.02)
    found.push(`the audio starts at ${onset.toFixed(3)} s instead of ${start.toFixed(3)} s`);
  return found;
}

/** The last sample of each rendition, as a name and a time. */
export const soundEnds = (heard: readonly Heard[]): { name: string; seconds: number }[] =>
  heard.map((sound, n) => ({ name: `the samples of audio ${n}`, seconds: soundSeconds(sound) }));
