import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, Stream } from '../../../test/journey/support/client.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { readPlaylist } from '../../faults/watched/playlist.ts';
import { type DecodedSound, type DecodedVideo, decodeRenditions } from './decode.ts';
import { type Listed, listedIn } from './multivariant-playlist.ts';

/** What a viewer of a finished video gets, and what its uploader reads about it. */
export type Result = {
  /** the rendition with the most lines */
  video: DecodedVideo | null;
  audio: (DecodedSound & { isDefault: boolean })[];
  /** the end of each rendition and file, by a name for messages */
  ends: { name: string; seconds: number }[];
  decisions: { code: string; message: string }[];
  warnings: string[];
  /** colour properties of the video streams, by property */
  colours: Record<string, unknown>[];
  captions: { language: string; kind: string; isDefault: boolean }[];
};

export async function readResult(client: Client, ulid: string, folder: string): Promise<Result> {
  const [video, { hls, dash, mp4 }] = [await client.getVideo(ulid), await client.sources(ulid)];
  const listed = listedIn(await textOf(hls!), hls!);
  const [tracks, captions] = [await tracksOf(listed, folder), await captionsOf(client, ulid)];
  const decoded = await decodeRenditions(
    { video: tracks.find(({ type }) => type === 'VIDEO')?.file, audio: tracks.flatMap(audioFile) },
    folder,
  );
  const original = video.streams.find(({ type }) => type === 'original');
  return {
    video: decoded.video,
    audio: decoded.audio.map((one, n) => ({ ...one, isDefault: tracks.filter(isAudio)[n]!.isDefault })),
    ends: [
      ...tracks.map(({ name, listedSeconds }) => ({ name: `the playlist of ${name}`, seconds: listedSeconds })),
      { name: 'the DASH manifest', seconds: presentedSeconds(await textOf(dash!)) },
      ...(mp4 === undefined ? [] : await endsOfFile(mp4)),
    ],
    decisions: (original?.meta.decisions ?? []) as Result['decisions'],
    warnings: (original?.meta.warnings ?? []) as string[],
    colours: video.streams.filter(({ type }) => type === 'video').map(coloursOf),
    captions,
  };
}

type FetchedTrack = Listed & { name: string; file: string; listedSeconds: number };
const isAudio = ({ type }: Listed): boolean => type === 'AUDIO';
const audioFile = (track: FetchedTrack): string[] => (isAudio(track) ? [track.file] : []);

/** The media of all renditions, the video with the most lines first. Each becomes a file. */
async function tracksOf(listed: readonly Listed[], folder: string): Promise<FetchedTrack[]> {
  const media = listed.filter(({ type }) => type !== 'SUBTITLES').toSorted((a, b) => b.height - a.height);
  return Promise.all(
    media.map(async (one, index): Promise<FetchedTrack> => {
      const text = await textOf(one.url);
      const { init, segments } = readPlaylist(text);
      const urls = [...(init === undefined ? [] : [init]), ...segments].map((uri) => new URL(uri, one.url).href);
      const parts = await Promise.all(urls.map(bytesOf));
      const file = join(folder, `rendition-${index}.mp4`);
      await writeFile(file, Buffer.concat(parts));
      const listedSeconds = [...text.matchAll(/^#EXTINF:([\d.]+)/gm)].reduce((sum, [, one]) => sum + Number(one), 0);
      return { ...one, file, listedSeconds, name: `${one.type.toLowerCase()} ${index}` };
    }),
  );
}

const presentedSeconds = (manifest: string): number =>
  Number(/mediaPresentationDuration="PT([\d.]+)S"/.exec(manifest)?.[1]);

async function endsOfFile(url: string): Promise<Result['ends']> {
  const shown = ['-show_entries', 'stream=codec_type,start_time,duration', '-of', 'json'];
  const { stdout } = await runOrThrow('ffprobe', [...shown, url]);
  type Probed = { codec_type: string; start_time: string; duration: string };
  const { streams } = JSON.parse(stdout.toString()) as { streams: Probed[] };
  return streams.map(({ codec_type: type, start_time: start, duration }) => ({
    name: `the ${type} of the MP4`,
    seconds: Number(start) + Number(duration),
  }));
}

const coloursOf = ({ meta }: Stream): Record<string, unknown> =>
  Object.fromEntries(Object.entries(meta).filter(([name]) => name.startsWith('color')));

/** Text is converted beside the video, which does not wait for it. */
async function captionsOf(client: Client, ulid: string): Promise<Result['captions']> {
  type Caption = { language: string; kind: string; default: boolean; status: string };
  for (;;) {
    const { data } = await client.get<{ data: Caption[] }>(`/api/videos/${ulid}/captions`);
    if (data.every(({ status }) => status === 'completed' || status === 'failed')) {
      return data
        .filter(({ status }) => status === 'completed')
        .map(({ language, kind, default: isDefault }) => ({ language, kind, isDefault }));
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const responseOf = async (url: string): Promise<Response> => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return response;
};
const textOf = async (url: string): Promise<string> => (await responseOf(url)).text();
const bytesOf = async (url: string): Promise<Buffer> => Buffer.from(await (await responseOf(url)).arrayBuffer());
