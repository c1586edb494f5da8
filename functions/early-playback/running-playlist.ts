import { readText } from '../aws/object-store.ts';
import { iFramePlaylistFile, mediaPlaylistFile, multivariantFile } from '../packaging/hls-file-names.ts';
import { multivariantPlaylist } from '../packaging/multivariant-playlist.ts';
import type { EarlyPlayback } from '../table/records.ts';
import { writeGrowing } from './growing-playlist.ts';
import { manifestsFolder, segmentedTrack } from './growing-track.ts';
import type { RunningOutput } from './running-output.ts';
import { runningTrack } from './running-track.ts';

/** The key of the playlist that viewers open. It stays the same when the output is completed. */
export const entryKeyOf = (running: RunningOutput): string => `${manifestsFolder(running)}${multivariantFile}`;

/** Writes the multivariant playlist of the listed tracks. False when it has changed since it was read. */
export async function writeMultivariant(running: RunningOutput, listed: EarlyPlayback['listed']): Promise<boolean> {
  const { plan, planned } = running;
  const tracks = (names: string[]) =>
    names.flatMap((name) => {
      const codecs = listed[name];
      return codecs === undefined ? [] : runningTrack(plan, segmentedTrack(running, name), codecs);
    });
  const body = multivariantPlaylist(
    { video: tracks(planned.video), audio: tracks(planned.audio), isRunning: true },
    mediaPlaylistFile,
    iFramePlaylistFile,
  );
  const key = entryKeyOf(running);
  const stored = await readText(key);
  return stored?.body === body || writeGrowing(key, stored?.etag, body);
}
