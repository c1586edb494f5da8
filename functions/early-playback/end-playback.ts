import { manifestsPrefix } from '../../shared/object-keys.ts';
import { mediaPlaylistFile } from '../packaging/hls-file-names.ts';
import { findEarlyPlayback } from '../table/videos/early-playback.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { extendPlaylist, findGrowingPlaylist } from './growing-playlist.ts';

/**
 * Ends the growing playlists of an output that is about to fail: its viewers stop at the end of the encoded part
 * instead of waiting for the next segment. Before the output fails, so that a repeated call finds it.
 */
export async function endPlayback({ video, outputs }: Pick<WholeVideo, 'video' | 'outputs'>): Promise<void> {
  const output = outputs.find(
    ({ planNumber, status, playableAt }) =>
      planNumber === video.planNumber && status !== 'completed' && playableAt !== undefined,
  );
  const known = output && (await findEarlyPlayback(video));
  if (!known) return;
  const folder = manifestsPrefix(video.ulid, output.ulid, video.planNumber);
  for (const name of Object.keys(known.listed)) await endPlaylist(`${folder}${mediaPlaylistFile({ name })}`);
}

async function endPlaylist(key: string): Promise<void> {
  for (;;) {
    const playlist = await findGrowingPlaylist(key);
    // It changes when a report of a worker that is still running has extended it.
    if (!playlist || (await extendPlaylist(playlist, [], true))) return;
  }
}
