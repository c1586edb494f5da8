import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type PackagedTrack = { name: string; kind: 'video' | 'audio'; groupId?: string };

const program = join(import.meta.dirname, '../../../node_modules/shaka-packager/index.js');

const packager = (args: string[], cwd: string): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, [program, '--quiet', ...args], { cwd });

/**
 * Runs Shaka Packager on our tracks. It writes `master.m3u8`, `manifest.mpd` and a playlist per track, with our names,
 * to a folder.
 */
export async function packageByShaka(
  made: string,
  tracks: PackagedTrack[],
  { segmentSeconds, folder }: { segmentSeconds: number; folder: string },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const streams: string[] = [];
  for (const { name, kind, groupId } of tracks) {
    const parts = await partsOf(join(made, kind, name), 'm4s');
    await writeFile(
      join(folder, `${name}.mp4`),
      Buffer.concat([await readFile(join(made, kind, name, 'init.mp4')), ...parts]),
    );
    streams.push(
      [
        `in=${name}.mp4`,
        `stream=${kind}`,
        `init_segment=${name}/init.mp4`,
        `segment_template=${name}/$Number$.m4s`,
        `playlist_name=${name}.m3u8`,
        kind === 'video' ? `iframe_playlist_name=${name}-key-frames.m3u8` : `hls_group_id=${groupId}`,
      ].join(),
    );
  }
  await packager(
    [
      ...[...streams, '--segment_duration', String(segmentSeconds), '--generate_static_live_mpd'],
      ...['--mpd_output', 'manifest.mpd', '--hls_master_playlist_output', 'master.m3u8'],
    ],
    folder,
  );
}

/** Shaka Packager's description of the streams in a folder of MPEG-TS segments: codec, width and others. */
export async function describeByShaka(folder: string): Promise<Record<string, string>[]> {
  await writeFile(join(folder, 'joined.mts'), Buffer.concat(await partsOf(folder, 'ts')));
  const { stdout } = await packager(['in=joined.mts', '--dump_stream_info'], folder);
  return stdout
    .split(/^Stream \[/m)
    .slice(1)
    .map((text) => Object.fromEntries([...text.matchAll(/^ (\w+): (.*)$/gm)].map(([, key, value]) => [key, value])));
}

async function partsOf(folder: string, extension: string): Promise<Buffer[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(`.${extension}`)).sort();
  return Promise.all(names.map((name) => readFile(join(folder, name))));
}
