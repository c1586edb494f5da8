import { posix } from 'node:path';
import { contentTypeOf } from '../../shared/media/content-types.ts';
import { requireTrack } from '../job-results/finished-tracks.ts';
import { jobFolder } from '../job-results/job-files.ts';
import { finishedJobs } from '../job-results/job-results.ts';
import { type MuxedTrack, type PackagedTrack, startSecondsOf } from '../job-results/packaged-track.ts';
import type { PlannedOutput } from '../planning/encoding-plan.ts';
import type { Caption } from '../table/records.ts';
import { subtitlePlaylistKey } from './captions/store-subtitles.ts';
import { type SubtitleLayout, subtitleLayout } from './captions/subtitle-layout.ts';
import { type TextRendition, textRenditions } from './captions/text-renditions.ts';
import { dashManifest } from './dash-manifest.ts';
import { iFramePlaylistFile, mediaPlaylistFile, multivariantFile } from './hls-file-names.ts';
import { needsStartDates } from './hls-lines.ts';
import { iFramePlaylist, mediaPlaylist, supportsIFramePlaylist } from './media-playlist.ts';
import { multivariantPlaylist } from './multivariant-playlist.ts';

/** The objects of an output: manifests to write, media files that jobs have stored, and the key that players open. */
export type OutputContents = {
  entryKey: string;
  manifests: { key: string; body: string; contentType: string }[];
  files: { key: string; bytes: number }[];
  /** the layout of the text tracks that HLS playlists list */
  subtitles?: SubtitleLayout;
};

type Tracks<Track> = { video: Track[]; audio: Track[] };
type Text = { captions: readonly Caption[]; clockStartTicks: number };
type RemuxedOutput = { videoUlid: string; planNumber: number; group: number };

/** HLS or DASH manifests in `folder`, over CMAF segments that may be in any folder of the video. */
export function segmentedOutput(input: {
  folder: string;
  planned: PlannedOutput;
  tracks: Map<string, PackagedTrack>;
  durationSeconds: number;
  captions: readonly Caption[];
}): OutputContents {
  const { folder, planned, captions } = input;
  const tracksNamed = (names: string[]): PackagedTrack[] => names.map((name) => requireTrack(input.tracks, name));
  const tracks = { video: tracksNamed(planned.video), audio: tracksNamed(planned.audio) };
  const all = [...tracks.video, ...tracks.audio];
  const files = all.flatMap(({ init, segments }) =>
    [init, ...segments].map(({ path, bytes }) => ({ key: path, bytes })),
  );
  const relative = {
    video: tracks.video.map((track) => relativeTo(folder, track)),
    audio: tracks.audio.map((track) => relativeTo(folder, track)),
  };
  // The time stamps of fragmented MP4 are those of the output clock.
  if (planned.format === 'hls') {
    return { files, ...hlsPlaylists(folder, relative, { captions, clockStartTicks: 0 }) };
  }
  const entryKey = `${folder}manifest.mpd`;
  const text = textRenditions(captions, (key) => posix.relative(folder, key));
  const body = dashManifest({ ...relative, text }, { durationSeconds: input.durationSeconds });
  return { files, entryKey, manifests: [{ key: entryKey, body, contentType: contentTypeOf(entryKey) }] };
}

function hlsPlaylists<Track extends MuxedTrack>(
  folder: string,
  tracks: Tracks<Track>,
  { captions, clockStartTicks }: Text,
): Omit<OutputContents, 'files'> {
  const entryKey = `${folder}${multivariantFile}`;
  const all = [...tracks.video, ...tracks.audio];
  const isDated = needsStartDates(all.map(startSecondsOf));
  const layout = subtitleLayout(all[0]!, { clockStartTicks, isDated });
  const text: TextRendition[] = textRenditions(captions, (key) =>
    posix.relative(folder, subtitlePlaylistKey(key, layout)),
  );
  return {
    entryKey,
    subtitles: layout,
    manifests: [
      ...all.map((track) => ({
        key: `${folder}${mediaPlaylistFile(track)}`,
        body: mediaPlaylist(track, { tracks: all, isDated }),
      })),
      ...tracks.video.filter(supportsIFramePlaylist).map((track) => ({
        key: `${folder}${iFramePlaylistFile(track)}`,
        body: iFramePlaylist(track, { tracks: all, isDated }),
      })),
      { key: entryKey, body: multivariantPlaylist({ ...tracks, text }, mediaPlaylistFile, iFramePlaylistFile) },
    ].map((manifest) => ({ ...manifest, contentType: contentTypeOf(manifest.key) })),
  };
}

/** A track with paths relative to the folder of a manifest, instead of object keys. */
function relativeTo(folder: string, track: PackagedTrack): PackagedTrack {
  const relative = (key: string): string => posix.relative(folder, key);
  return {
    ...track,
    init: { ...track.init, path: relative(track.init.path) },
    segments: track.segments.map((segment) => ({ ...segment, path: relative(segment.path) })),
  };
}

/** The progressive MP4 file that a remux job has made. */
export async function progressiveOutput(
  output: RemuxedOutput,
): Promise<OutputContents & { bytes: number; durationSeconds: number; codecs: string }> {
  const [part] = await remuxedParts(output);
  const [file] = part?.files ?? [];
  if (!part || !file) throw new Error('the remux job has no file');
  const { codecs, durationSeconds } = part;
  return { entryKey: file.key, manifests: [], files: [file], bytes: file.bytes, durationSeconds, codecs };
}

/** HLS over MPEG-TS segments, in which audio and video are muxed. One remux job has made each rung. */
export async function transportStreamOutput(
  input: RemuxedOutput & {
    folder: string;
    planned: PlannedOutput;
    tracks: Map<string, PackagedTrack>;
    captions: readonly Caption[];
  },
): Promise<OutputContents> {
  const { folder, planned, tracks, captions } = input;
  const parts = await remuxedParts(input);
  const names = planned.video.length > 0 ? planned.video : planned.audio.slice(0, 1);
  const muxed = names.map((name, index): MuxedTrack => {
    const part = parts[index];
    if (!part) throw new Error(`rung ${name} is not remuxed`);
    const { init: _, ...track } = requireTrack(tracks, name);
    return {
      ...track,
      codecs: part.codecs,
      timescale: 1000,
      segments: part.segments.map(({ file, ...segment }) => ({
        ...segment,
        path: posix.relative(folder, `${part.folder}${file}`),
      })),
    };
  });
  const hasVideo = planned.video.length > 0;
  const shown = { video: hasVideo ? muxed : [], audio: hasVideo ? [] : muxed };
  const playlists = hlsPlaylists(folder, shown, { captions, clockStartTicks: parts[0]?.clockStartTicks ?? 0 });
  return { files: parts.flatMap(({ files }) => files), ...playlists };
}

async function remuxedParts({ videoUlid, planNumber, group }: RemuxedOutput) {
  const jobs = (await finishedJobs(videoUlid, planNumber, 'package')).filter((job) => job.group === group);
  return jobs.map((job) => {
    const folder = jobFolder({ videoUlid, planNumber, kind: 'package', ...job });
    const { files, segments, codecs, durationSeconds, clockStartTicks } = job.result;
    return {
      folder,
      segments,
      clockStartTicks,
      codecs,
      durationSeconds,
      files: files.map(({ file, bytes }) => ({ key: `${folder}${file}`, bytes })),
    };
  });
}
