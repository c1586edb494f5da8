import { audioCodecFacts } from '../../../shared/media/codecs.ts';
import type { AudioRendition } from '../../../shared/protocol/encode-spec.ts';
import type { AudioTrack } from '../../../shared/protocol/probe-result.ts';
import { numberedName } from '../../common/numbered-name.ts';
import { parseBitrate } from '../../templates/bitrate.ts';
import type { AudioEntry } from '../../templates/query-structure.ts';
import { mixingOf } from './audio-mix.ts';

/** A source track as encoded by one template entry, before the segment lengths of the outputs are known. */
export type PlannedAudio = {
  entry: AudioEntry;
  track: AudioTrack;
  rendition: Omit<AudioRendition, 'segmentSeconds'>;
  /** for the uploader, where channels without a layout or beyond the rendition's layout were mixed */
  warning: string | null;
};

/** One rendition for each track that the entry selects, the default track of the source first. */
export function planAudio(entry: AudioEntry, tracks: AudioTrack[], takenNames: Set<string>): PlannedAudio[] {
  const chosen = chooseTracks(entry.languages, tracks);
  return chosen.map((track) => {
    const preferredName = chosen.length === 1 ? entry.name : `${entry.name}-${track.language.toLowerCase()}`;
    const name = numberedName(preferredName, takenNames);
    const { mix, warning, ...mixed } = mixingOf(track, entry.channels);
    const channels = encodable(mixed.channels, entry);
    return {
      entry,
      track,
      warning,
      rendition: {
        name,
        streamIndex: track.streamIndex,
        codec: entry.codec,
        bitrateBps: bitrateOf(entry, channels),
        channels,
        ...(mix && { mix }),
        sampleRateHz: audioCodecFacts[entry.codec].fixedSampleRateHz ?? entry.sample_rate,
        language: track.language,
        loudnessLufs: entry.loudness,
      },
    };
  });
}

function chooseTracks(languages: AudioEntry['languages'], tracks: AudioTrack[]): AudioTrack[] {
  const defaultFirst = [...tracks].sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
  if (languages === 'all') return defaultFirst;
  const matching =
    languages === 'default'
      ? []
      : defaultFirst.filter(({ language }) => languages.some((tag) => covers(tag, language)));
  return matching.length > 0 ? matching : defaultFirst.slice(0, 1);
}

/** `en` matches en-GB too, `en-GB` matches only itself; `eng` and `en` are equal. */
export function covers(tag: string, language: string): boolean {
  const [asked, given] = [canonical(tag), canonical(language)];
  return asked === given || given.startsWith(`${asked}-`);
}

function canonical(tag: string): string {
  try {
    return (Intl.getCanonicalLocales(tag)[0] ?? tag).toLowerCase();
  } catch {
    return tag.toLowerCase();
  }
}

function encodable(channels: number, { codec }: AudioEntry): number {
  const fallbacks: Readonly<Record<number, number>> = audioCodecFacts[codec].channelFallbacks;
  return fallbacks[channels] ?? channels;
}

function bitrateOf({ bitrate, codec }: AudioEntry, channels: number): number {
  const { min, max } = audioCodecFacts[codec].bitrateBpsPerChannel;
  return Math.min(max * channels, Math.max(min * channels, parseBitrate(bitrate)));
}
