import HLS from 'hls-parser';
import { readText } from './read-bytes.ts';

/** Parses a playlist. Reports a problem and returns undefined when it cannot be read. */
export async function readPlaylist(
  url: URL,
  wrong: (what: string) => void,
): Promise<HLS.types.MasterPlaylist | HLS.types.MediaPlaylist | undefined> {
  try {
    const text = await readText(url);
    // RFC 8216, 4.3.1.1; the parser does not check it
    if (!/^#EXTM3U\r?\n/.test(text)) throw new RangeError('it does not start with #EXTM3U');
    return HLS.parse(text) as HLS.types.MasterPlaylist | HLS.types.MediaPlaylist;
  } catch (error) {
    wrong(`cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}
