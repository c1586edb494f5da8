/** What a menu needs to know about a video track of an engine. */
export type QualityTrack = { height: number | null; width: number | null; bandwidth: number };

export type Quality<Track> = { label: string; track: Track };

/**
 * The qualities of a menu, the largest first: one per label. A portrait video has its shorter side as its label, as
 * 1080p means for both. Of tracks with the same label, the one with the highest bit rate stays.
 */
export function qualitiesOf<Track extends QualityTrack>(tracks: readonly Track[]): Quality<Track>[] {
  const sorted = tracks
    .filter(({ height }) => height !== null)
    .toSorted((a, b) => shorterSide(b) - shorterSide(a) || b.bandwidth - a.bandwidth);
  const byLabel = new Map<string, Track>();
  for (const track of sorted) {
    const label = qualityLabel(track);
    if (!byLabel.has(label)) byLabel.set(label, track);
  }
  return [...byLabel].map(([label, track]) => ({ label, track }));
}

export const qualityLabel = (track: Pick<QualityTrack, 'height' | 'width'>): string => `${shorterSide(track)}p`;

const shorterSide = ({ height, width }: Pick<QualityTrack, 'height' | 'width'>): number =>
  Math.min(height ?? 0, width ?? Infinity);

/** The name of a language in the language of the page. */
export function languageName(tag: string, pageLanguage: string, unknown: string): string {
  if (tag === '' || tag === 'und') return unknown;
  try {
    return new Intl.DisplayNames([pageLanguage], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

type AudioTrack = { label?: string | null; language: string; channelsCount?: number | null };

/**
 * The entries of a menu of audio tracks, in the language of the page. Tracks of the same language keep the labels of
 * the manifest, which tell them apart, and encodes of one track say how many channels they have.
 */
export function audioNames(tracks: readonly AudioTrack[], pageLanguage: string, unknown: string): string[] {
  const labels = Map.groupBy(tracks, ({ language }) => language);
  const hasOneLabel = ({ language }: AudioTrack): boolean =>
    new Set(labels.get(language)!.map(({ label }) => label)).size === 1;
  const areUnique = tracks.every(hasOneLabel);
  const names = tracks.map((track) =>
    areUnique || !track.label ? languageName(track.language, pageLanguage, unknown) : track.label,
  );
  return names.map((name, index) => {
    const isShared = names.some((other, otherIndex) => other === name && otherIndex !== index);
    const channels = tracks[index]!.channelsCount;
    return isShared && channels ? `${name} (${layoutName(channels)})` : name;
  });
}

const layoutName = (channels: number): string =>
  ({ 1: 'mono', 2: 'stereo', 6: '5.1', 7: '6.1', 8: '7.1' })[channels] ?? `${channels}.0`;
