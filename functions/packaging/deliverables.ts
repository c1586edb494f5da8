import { posix } from 'node:path';
import { contentTypeOf } from '../../shared/media/content-types.ts';
import type { PlannedOutput } from '../planning/plan-video.ts';
import { jobFolder } from '../queue/job-files.ts';
import { finishedJobs } from '../queue/job-results.ts';
import { dashManifest } from './dash-manifest.ts';
import { needTrack } from './finished-tracks.ts';
import { hasKeyFrames, hlsKeyFrames, hlsMaster, hlsMedia } from './hls-playlists.ts';
import type { MuxedTrack, PackagedTrack } from './packaged-track.ts';

/** What makes an output playable: manifests to be written, files that must be there already, and the key that viewers open. */
export type Deliverable = {
  entryKey: string;
  manifests: { key: string; body: string; contentType: string }[];
  files: { key: string; bytes: number }[];
};

type Tracks<Track> = { video: Track[]; audio: Track[] };
type Run = { videoUlid: string; planNumber: number; group: number };

/** HLS or DASH over finished CMAF segments, wherever under the video they are. `folder` is the output's. */
export function segmentManifests(input: {
  folder: string;
  planned: PlannedOutput;
  tracks: Map<string, PackagedTrack>;
  durationSeconds: number;
}): Deliverable {
  const { folder, planned } = input;
  const named = (names: string[]): PackagedTrack[] => names.map((name) => needTrack(input.tracks, name));
  const tracks = { video: named(planned.video), audio: named(planned.audio) };
  const all = [...tracks.video, ...tracks.audio];
  const files = all.flatMap(({ init, segments }) =>
    [init, ...segments].map(({ path, bytes }) => ({ key: path, bytes })),
  );
  const shown = {
    video: tracks.video.map((track) => seenFrom(folder, track)),
    audio: tracks.audio.map((track) => seenFrom(folder, track)),
  };
  if (planned.format === 'hls') return { files, ...hlsPlaylists(folder, shown) };
  const entryKey = `${folder}manifest.mpd`;
  const body = dashManifest(shown, { durationSeconds: input.durationSeconds });
  return { files, entryKey, manifests: [{ key: entryKey, body, contentType: contentTypeOf(entryKey) }] };
}

function hlsPlaylists<Track extends MuxedTrack>(folder: string, tracks: Tracks<Track>): Omit<Deliverable, 'files'> {
  const playlist = ({ name }: { name: string }): string => `${name}.m3u8`;
  const keyFramePlaylist = ({ name }: { name: string }): string => `${name}-key-frames.m3u8`;
  const entryKey = `${folder}master.m3u8`;
  return {
    entryKey,
    manifests: [
      ...[...tracks.video, ...tracks.audio].map((track) => ({
        key: `${folder}${playlist(track)}`,
        body: hlsMedia(track),
      })),
      ...tracks.video.filter(hasKeyFrames).map((track) => ({
        key: `${folder}${keyFramePlaylist(track)}`,
        body: hlsKeyFrames(track),
      })),
      { key: entryKey, body: hlsMaster(tracks, playlist, keyFramePlaylist) },
    ].map((manifest) => ({ ...manifest, contentType: contentTypeOf(manifest.key) })),
  };
}

/** A track whose object keys are made relative to the folder of a manifest. */
function seenFrom(folder: string, track: PackagedTrack): PackagedTrack {
  const relative = (key: string): string => posix.relative(folder, key);
  return {
    ...track,
    init: { ...track.init, path: relative(track.init.path) },
    segments: track.segments.map((segment) => ({ ...segment, path: relative(segment.path) })),
  };
}

/** A progressive file as a worker copied it together. */
export async function remuxedFile(
  asked: Run,
): Promise<Deliverable & { bytes: number; durationSeconds: number; codecs: string }> {
  const [part] = await remuxedParts(asked);
  const [file] = part?.files ?? [];
  if (!part || !file) throw new Error('the remux made no file');
  const { codecs, durationSeconds } = part;
  return { entryKey: file.key, manifests: [], files: [file], bytes: file.bytes, durationSeconds, codecs };
}

/** HLS over transport stream segments that carry picture and sound together, one remux a rung. */
export async function transportStreams(
  input: Run & { folder: string; planned: PlannedOutput; tracks: Map<string, PackagedTrack> },
): Promise<Deliverable> {
  const { folder, planned, tracks } = input;
  const parts = await remuxedParts(input);
  const names = planned.video.length > 0 ? planned.video : planned.audio.slice(0, 1);
  const muxed = names.map((name, index): MuxedTrack => {
    const part = parts[index];
    if (!part) throw new Error(`the rung ${name} was not remuxed`);
    const { init: _, ...facts } = needTrack(tracks, name);
    return {
      ...facts,
      codecs: part.codecs,
      timescale: 1000,
      segments: part.segments.map(({ file, ...segment }) => ({
        ...segment,
        path: posix.relative(folder, `${part.folder}${file}`),
      })),
    };
  });
  const hasVideo = planned.video.length > 0;
  const playlists = hlsPlaylists(folder, { video: hasVideo ? muxed : [], audio: hasVideo ? [] : muxed });
  return { files: parts.flatMap(({ files }) => files), ...playlists };
}

async function remuxedParts({ videoUlid, planNumber, group }: Run) {
  const jobs = (await finishedJobs(videoUlid, planNumber, 'package')).filter((job) => job.group === group);
  return jobs.map((job) => {
    const folder = jobFolder({ videoUlid, planNumber, kind: 'package', ...job });
    const { files, segments, codecs, durationSeconds } = job.result;
    return {
      folder,
      segments,
      codecs,
      durationSeconds,
      files: files.map(({ file, bytes }) => ({ key: `${folder}${file}`, bytes })),
    };
  });
}
