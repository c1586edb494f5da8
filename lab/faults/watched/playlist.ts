/** A playlist as a player reads it. */
export type Playlist = {
  type: 'EVENT' | 'VOD' | undefined;
  isEnded: boolean;
  /** paths of other playlists; of a multivariant playlist only */
  playlists: string[];
  init: string | undefined;
  segments: string[];
};

export function readPlaylist(text: string): Playlist {
  const lines = text.split('\n').map((line) => line.trim());
  const uris = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const attribute = (tag: string): string[] =>
    lines.filter((line) => line.startsWith(`#${tag}:`)).flatMap((line) => /URI="([^"]*)"/.exec(line)?.[1] ?? []);
  const isMultivariant = lines.some((line) => line.startsWith('#EXT-X-STREAM-INF'));
  return {
    type: /^#EXT-X-PLAYLIST-TYPE:(EVENT|VOD)$/m.exec(text)?.[1] as Playlist['type'],
    isEnded: lines.includes('#EXT-X-ENDLIST'),
    playlists: isMultivariant ? [...new Set([...uris, ...attribute('EXT-X-MEDIA')])] : [],
    init: attribute('EXT-X-MAP')[0],
    segments: isMultivariant ? [] : uris,
  };
}

/** What a growing playlist must not do between two reads. Each violation is a sentence. */
export function growthViolations(name: string, before: Playlist, after: Playlist): string[] {
  if (before.type !== 'EVENT' || after.type !== 'EVENT') return [];
  const lost = before.segments.filter((segment, index) => after.segments[index] !== segment);
  return [
    ...lost.slice(0, 1).map((segment) => `${name} has lost or moved the segment ${segment}`),
    ...(before.init === after.init ? [] : [`${name} has another init segment`]),
    ...(before.isEnded && !after.isEnded ? [`${name} has ended and grows again`] : []),
    ...(before.isEnded && after.segments.length > before.segments.length ? [`${name} grew after its end`] : []),
  ];
}
