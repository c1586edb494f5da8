import { isSegmented } from '../../../shared/media/output-formats.ts';
import { changeEntries, entriesOf, ladderOf, type Query, withKey } from './query.ts';
import { jsonValue, type VideoMode, videoModeOf } from './query-form.ts';

/** A row of `resolutions` of GET /api/templates-config. */
export type Resolution = { value: string; width: number; height: number; bitrate: string };

const defaultCodec = 'h264';
const defaultMaxHeight = 1080;
/** Fixed renditions that replace a ladder: the rows of these heights. */
const usualHeights = [1080, 720, 480, 360];

/** What a new template starts with. */
export const newQuery: Query = {
  version: 1,
  ladder: { codec: defaultCodec, mode: 'quality', max_height: defaultMaxHeight, max_renditions: 5 },
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2, languages: 'all' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 6 }],
  thumbnails: { poster: { at: '10%' }, sprite: { interval: 10 } },
};

/** Changes how the video streams are made, and keeps the codec. */
export function setVideoMode(query: Query, mode: VideoMode, resolutions: readonly Resolution[]): Query {
  const codec = ladderOf(query)?.codec ?? entriesOf(query, 'video')[0]?.codec ?? defaultCodec;
  const hadVideo = videoModeOf(query) !== 'none';
  const { ladder: _, video: __, ...others } = query;
  const withAllStreams = (changed: Query): Query => usingAllVideo(changed, hadVideo);
  if (mode === 'none') return withAllStreams(others);
  if (mode === 'ladder') {
    const heights = entriesOf(query, 'video').map(({ height }) => Number(height));
    const known = resolutions.map(({ height }) => height).filter((height) => heights.includes(height));
    const max_height = known.length === 0 ? defaultMaxHeight : Math.max(...known);
    return withAllStreams({ ...others, ladder: { codec, mode: 'quality', max_height, max_renditions: 5 } });
  }
  const maxHeight = Number(ladderOf(query)?.max_height ?? defaultMaxHeight);
  const rows = resolutions.filter(({ height }) => usualHeights.includes(height) && height <= maxHeight);
  // An MP4 file holds one of them.
  const usable = hasStreaming(query) ? rows : rows.slice(0, 1);
  const video = usable.map(({ width, height, bitrate }) => ({ name: `v${height}`, codec, width, height, bitrate }));
  return withAllStreams({ ...others, video });
}

/**
 * Outputs that name streams of before use all streams again. An MP4 file holds one video stream, so it names the first,
 * unless a ladder chooses. Outputs of audio only stay so, if there was video for others.
 */
function usingAllVideo(query: Query, hadVideo: boolean): Query {
  const [first, second] = entriesOf(query, 'video');
  return changeEntries(query, 'outputs', (output) => {
    if (hadVideo && Array.isArray(output.video) && output.video.length === 0) return output;
    return withKey(output, 'video', !isSegmented(output.format) && second !== undefined ? [first?.name] : undefined);
  });
}

/** Adds an output of a format with all streams that it can hold, or removes all outputs of the format. */
export function setFormat(query: Query, format: string, isOn: boolean): Query {
  const outputs = entriesOf(query, 'outputs');
  if (!isOn)
    return withKey(
      query,
      'outputs',
      outputs.filter((output) => output.format !== format),
    );
  const segmentSeconds = outputs.find(({ segment_duration }) => segment_duration !== undefined)?.segment_duration;
  const one = (list: 'video' | 'audio') => {
    const [first, second] = entriesOf(query, list);
    return !isSegmented(format) && second !== undefined && { [list]: [first?.name] };
  };
  const output = {
    name: freeName(
      format,
      outputs.map(({ name }) => name),
    ),
    format,
    ...(isSegmented(format) && segmentSeconds !== undefined && { segment_duration: segmentSeconds }),
    ...one('video'),
    ...one('audio'),
  };
  return withKey(query, 'outputs', [...outputs, output]);
}

/** '' removes all audio. */
export function setAudioCodec(query: Query, codec: string): Query {
  if (codec === '') {
    const { audio: _, ...others } = query;
    return changeEntries(others, 'outputs', (output) => withKey(output, 'audio', undefined));
  }
  if (entriesOf(query, 'audio').length === 0) {
    return withKey(query, 'audio', [{ name: freeName('stereo', videoNames(query)), codec, bitrate: '128k' }]);
  }
  return changeEntries(query, 'audio', (entry) => withKey(entry, 'codec', codec));
}

export type RenditionKey = 'width' | 'height' | 'bitrate';

export const setRendition = (query: Query, index: number, key: RenditionKey, text: string): Query => {
  const target = entriesOf(query, 'video')[index];
  // A bitrate is a text in the API.
  const value = key === 'bitrate' ? text || undefined : jsonValue(text);
  return changeEntries(query, 'video', (entry) => (entry === target ? withKey(entry, key, value) : entry));
};

/** Adds the largest usual rendition that is not there yet. */
export function addRendition(query: Query, resolutions: readonly Resolution[]): Query {
  const video = entriesOf(query, 'video');
  const free = resolutions.find(({ height }) => !video.some((entry) => Number(entry.height) === height));
  const { width, height, bitrate } = free ?? { width: 1280, height: 720, bitrate: '2800k' };
  const { codec = defaultCodec, fps, preset, gop } = video[0] ?? {};
  const shared = Object.fromEntries(Object.entries({ fps, preset, gop }).filter(([, value]) => value !== undefined));
  const name = freeName(`v${height}`, videoNames(query));
  const added = [...video, { name, codec, width, height, bitrate, ...shared }];
  const sorted = added.toSorted((a, b) => Number(b.height ?? 0) - Number(a.height ?? 0));
  const changed = changeEntries(withKey(query, 'video', sorted), 'outputs', (output) =>
    !isSegmented(output.format) && !Array.isArray(output.video) && video.length > 0
      ? withKey(output, 'video', [video[0]?.name])
      : output,
  );
  return hasStreaming(query) ? changed : withMp4Of(changed, name);
}

/** An output of several renditions, as opposed to MP4 files. */
const hasStreaming = (query: Query): boolean => entriesOf(query, 'outputs').some(({ format }) => isSegmented(format));

/** One more MP4 file like the first, with this rendition. */
function withMp4Of(query: Query, rendition: string): Query {
  const outputs = entriesOf(query, 'outputs');
  const names = outputs.map((output) => output.name);
  return withKey(query, 'outputs', [
    ...outputs,
    { ...outputs[0], name: freeName('mp4', names), format: 'mp4', video: [rendition] },
  ]);
}

/**
 * Removes a rendition and the references to it. An output that had only this one gets the next, or is removed if
 * another output has the next.
 */
export function removeRendition(query: Query, index: number): Query {
  const video = entriesOf(query, 'video');
  const removed = video[index];
  const next = video.find((entry) => entry !== removed)?.name;
  const namesOf = ({ video }: Query): unknown[] | undefined => (Array.isArray(video) ? video : undefined);
  const outputs = entriesOf(query, 'outputs').flatMap((output, _, all) => {
    const names = namesOf(output);
    if (!names?.includes(removed?.name)) return [output];
    const others = names.filter((name) => name !== removed?.name);
    if (others.length > 0 || next === undefined) return [withKey(output, 'video', others)];
    const isKept = all.some(
      (other) => other !== output && other.format === output.format && namesOf(other)?.includes(next),
    );
    return isKept ? [] : [withKey(output, 'video', [next])];
  });
  const left = video.filter((entry) => entry !== removed);
  return withKey(withKey(query, 'video', left), 'outputs', outputs);
}

const videoNames = (query: Query): unknown[] =>
  [...entriesOf(query, 'video'), ...entriesOf(query, 'audio')].map(({ name }) => name);

function freeName(wanted: string, taken: readonly unknown[]): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.includes(name)) return name;
  }
}
