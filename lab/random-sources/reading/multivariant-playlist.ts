/** A rendition that a multivariant playlist lists. */
export type Listed = { type: 'VIDEO' | 'AUDIO' | 'SUBTITLES'; url: string; isDefault: boolean; height: number };

/** The renditions of a multivariant playlist, each once. A variant without a picture is audio. */
export function listedIn(text: string, playlistUrl: string): Listed[] {
  const lines = text.split('\n').map((line) => line.trim());
  const found = lines.flatMap((line, index): Listed[] => {
    const url = (uri: string): string => new URL(uri, playlistUrl).href;
    const isDefault = attribute(line, 'DEFAULT') === 'YES';
    if (line.startsWith('#EXT-X-MEDIA:')) {
      const [type, uri] = [attribute(line, 'TYPE'), attribute(line, 'URI')];
      const isRead = type === 'AUDIO' || type === 'SUBTITLES';
      return isRead && uri !== undefined ? [{ type, url: url(uri), isDefault, height: 0 }] : [];
    }
    if (!line.startsWith('#EXT-X-STREAM-INF:')) return [];
    const height = Number(attribute(line, 'RESOLUTION')?.split('x')[1] ?? 0);
    return [{ type: height > 0 ? 'VIDEO' : 'AUDIO', url: url(lines[index + 1]!), isDefault: false, height }];
  });
  return [...Map.groupBy(found, (one) => one.url).values()].map((same) => ({
    ...same[0]!,
    isDefault: same.some((one) => one.isDefault),
  }));
}

const attribute = (line: string, name: string): string | undefined => {
  const match = new RegExp(`[:,]${name}=(?:"([^"]*)"|([^,]*))`).exec(line);
  return match?.[1] ?? match?.[2];
};
