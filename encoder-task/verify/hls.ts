import type HLS from 'hls-parser';
import { checkAlignment } from './alignment.ts';
import { checkIFramePlaylist, checkLengths, checkMediaPlaylist, type MediaPlaylist } from './hls-media.ts';
import { readPlaylist } from './read-playlist.ts';
import type { ReadRendition } from './read-rendition.ts';
import { averageBitrate, endSeconds, fileName, isNearly, peakBitrate, type Report, startSeconds } from './rendition.ts';

type Variant = HLS.types.Variant;
type Playlists = Map<string, MediaPlaylist | undefined>;

/** Checks a master playlist, all its playlists, and all their segments. */
export async function checkHls(url: URL, read: ReadRendition, report: Report): Promise<void> {
  const wrong = (what: string): void => report(fileName(url), what);
  const master = await parseMaster(url, wrong);
  if (!master) return;
  const variants = master.variants.filter(({ isIFrameOnly }) => !isIFrameOnly);
  if (variants.length === 0) wrong('has no variant');
  const playlists: Playlists = new Map();
  const uris = variants.flatMap(({ uri, audio }) => [uri, ...audio.flatMap((rendition) => rendition.uri ?? [])]);
  for (const uri of new Set(uris)) playlists.set(uri, await checkMediaPlaylist(new URL(uri, url), read, report));
  for (const variant of variants) {
    checkVariant(variant, playlists, wrong);
    checkGroup(variant, playlists, wrong);
  }
  for (const variant of master.variants.filter(({ isIFrameOnly }) => isIFrameOnly)) {
    const playlist = await checkIFramePlaylist(new URL(variant.uri, url), read, report);
    if (playlist) checkIFrameVariant(variant, playlist, wrong);
  }
  checkLengths(
    [...playlists.values()].filter((playlist) => playlist !== undefined),
    report,
  );
  const videos = [...playlists.values()].filter((playlist) => playlist?.rendition.kind === 'video');
  checkAlignment(
    videos.map((playlist) => ({ name: fileName(playlist!.url), rendition: playlist!.rendition })),
    report,
  );
}

async function parseMaster(url: URL, wrong: (what: string) => void): Promise<HLS.types.MasterPlaylist | undefined> {
  const playlist = await readPlaylist(url, wrong);
  if (!playlist || playlist.isMasterPlaylist) return playlist;
  wrong('is not a master playlist');
  return undefined;
}

function checkVariant(variant: Variant, playlists: Playlists, wrong: (what: string) => void): void {
  const main = playlists.get(variant.uri);
  if (!main) return;
  const report = (what: string): void => wrong(`${variant.uri} ${what}`);
  const audio = variant.audio.flatMap(({ uri }) => (uri && uri !== variant.uri && playlists.get(uri)) || []);
  const highest = (bitrate: (playlist: MediaPlaylist) => number) =>
    bitrate(main) + (main.rendition.kind === 'video' ? Math.max(0, ...audio.map(bitrate)) : 0);
  const peak = highest(({ rendition, targetSeconds }) => peakBitrate(rendition, targetSeconds));
  if (!isNearly(variant.bandwidth, peak)) report(`has a peak of ${Math.ceil(peak)} bit/s, not ${variant.bandwidth}`);
  const average = highest(({ rendition }) => averageBitrate(rendition));
  if (variant.averageBandwidth === undefined || !isNearly(variant.averageBandwidth, average)) {
    report(`has an average of ${Math.ceil(average)} bit/s, not ${variant.averageBandwidth}`);
  }
  const codecs = [...new Set([main, ...audio].flatMap(({ rendition }) => rendition.codecs))].sort();
  if (variant.codecs?.split(',').sort().join() !== codecs.join()) report(`has ${codecs}, not ${variant.codecs}`);
  const { kind, framesPerSecond } = main.rendition;
  if (kind === 'video' && framesPerSecond && Math.abs((variant.frameRate ?? 0) - framesPerSecond) > 0.002) {
    report(`has ${framesPerSecond.toFixed(3)} frames a second, not ${variant.frameRate}`);
  }
  checkResolution(variant, main, report);
}

function checkResolution(
  { resolution, videoRange }: Variant,
  { rendition }: Pick<MediaPlaylist, 'rendition'>,
  report: (what: string) => void,
): void {
  const { width, height, sampleAspectRatio: pixel } = rendition;
  const displayWidth = width && Math.max(1, Math.round((width * pixel.num) / pixel.den));
  if (displayWidth && (resolution?.width !== displayWidth || resolution.height !== height)) {
    report(`has ${displayWidth} × ${height} pixels, not ${resolution?.width} × ${resolution?.height}`);
  }
  if (rendition.videoRange && (videoRange ?? 'SDR') !== rendition.videoRange) {
    report(`has the video range ${rendition.videoRange}, not ${videoRange}`);
  }
}

/** RFC 8216, 4.3.4.1.1, and that no audio track starts after the end of the video. */
function checkGroup({ uri, audio }: Variant, playlists: Playlists, wrong: (what: string) => void): void {
  if (audio.length === 0) return;
  const group = `group ${audio[0]!.groupId}`;
  if (audio.filter(({ isDefault }) => isDefault).length !== 1) wrong(`${group} must have exactly one default`);
  if (new Set(audio.map(({ name }) => name)).size < audio.length) wrong(`${group} has two tracks with one name`);
  const automatic = audio
    .filter(({ autoselect }) => autoselect)
    .map(({ language, characteristics }) => `${language} ${characteristics}`);
  if (new Set(automatic).size < automatic.length) {
    wrong(`${group} has two autoselect tracks of one language and purpose`);
  }
  const main = playlists.get(uri);
  for (const { uri: path, channels } of audio) {
    const track = path === undefined ? undefined : playlists.get(path)?.rendition;
    if (!track || !main) continue;
    if (track.channels && Number(channels?.split('/')[0]) !== track.channels) {
      wrong(`${path} has ${track.channels} channels, not ${channels}`);
    }
    if (startSeconds(track) > endSeconds(main.rendition)) wrong(`${path} starts after the end of the video`);
  }
}

function checkIFrameVariant(variant: Variant, { rendition, url }: MediaPlaylist, wrong: (what: string) => void): void {
  const report = (what: string): void => wrong(`${fileName(url)} ${what}`);
  const bitrates = rendition.segments.map((segment) =>
    segment ? ((segment.keyFrameEnd ?? 0) * 8) / segment.durationSeconds : 0,
  );
  const peak = Math.max(0, ...bitrates);
  if (!isNearly(variant.bandwidth, peak)) report(`has a peak of ${Math.ceil(peak)} bit/s, not ${variant.bandwidth}`);
  if (variant.codecs !== rendition.codecs.join()) report(`has ${rendition.codecs}, not ${variant.codecs}`);
  checkResolution(variant, { rendition }, report);
}
