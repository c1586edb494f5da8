import { defaults } from '../../../shared/defaults.ts';
import { isSegmented } from '../../../shared/media/output-formats.ts';
import {
  captionsOf,
  changeEntries,
  entriesOf,
  ladderOf,
  type Query,
  thumbnailsOf,
  withKey,
  withThumbnails,
} from './query.ts';

/** How a template makes its video streams. */
export type VideoMode = 'ladder' | 'fixed' | 'none';

/**
 * The common fields of a query as texts for controls. '' means that the key is not set, `mixed` that several entries
 * have different values.
 */
export type QueryForm = {
  videoMode: VideoMode;
  videoCodec: string;
  maxHeight: string;
  maxRenditions: string;
  /** what the bitrates of a ladder follow */
  ladderMode: string;
  maxFps: string;
  encoderPreset: string;
  /** whether video of the source may be copied instead of encoded */
  copy: string;
  formats: string[];
  segmentSeconds: string;
  /** '' for no audio */
  audioCodec: string;
  audioBitrate: string;
  audioTracks: string;
  /** which text tracks of the source become captions */
  embeddedCaptions: string;
  /** whether captions are made of speech */
  generatedCaptions: string;
  /** the spoken languages of which captions are made, with commas between them; '' for all */
  generateLanguages: string;
  /** `count 5` or `interval 10` */
  images: string;
  /** the format */
  preview: string;
};

export const mixed = 'mixed';

/** The fields that are one text. */
export type TextFieldName = Exclude<keyof QueryForm, 'videoMode' | 'formats' | 'audioCodec'>;

type PathFieldName = Exclude<TextFieldName, 'images' | 'preview'> | 'audioCodec';

type QueryPath = { list: 'query' | 'video' | 'audio' | 'outputs' | 'ladder' | 'captions'; key: string };

/** Where each field is in the query; `query` is its top level. If the query has a ladder, `video` means the ladder. */
const queryPaths: Record<PathFieldName, QueryPath> = {
  videoCodec: { list: 'video', key: 'codec' },
  maxHeight: { list: 'ladder', key: 'max_height' },
  maxRenditions: { list: 'ladder', key: 'max_renditions' },
  ladderMode: { list: 'ladder', key: 'mode' },
  maxFps: { list: 'video', key: 'fps' },
  encoderPreset: { list: 'video', key: 'preset' },
  copy: { list: 'query', key: 'copy' },
  segmentSeconds: { list: 'outputs', key: 'segment_duration' },
  audioCodec: { list: 'audio', key: 'codec' },
  audioBitrate: { list: 'audio', key: 'bitrate' },
  audioTracks: { list: 'audio', key: 'languages' },
  embeddedCaptions: { list: 'captions', key: 'embedded' },
  generatedCaptions: { list: 'captions', key: 'generate' },
  generateLanguages: { list: 'captions', key: 'generate_languages' },
};

export function readForm(query: Query): QueryForm {
  const field = (name: PathFieldName): string => {
    const { list, key } = queryPaths[name];
    return common(valuesAt(query, list, key));
  };
  return {
    videoMode: videoModeOf(query),
    videoCodec: field('videoCodec'),
    maxHeight: field('maxHeight'),
    maxRenditions: field('maxRenditions'),
    ladderMode: field('ladderMode'),
    maxFps: field('maxFps'),
    encoderPreset: field('encoderPreset'),
    copy: field('copy'),
    formats: [...new Set(entriesOf(query, 'outputs').map(({ format }) => String(format)))],
    segmentSeconds: field('segmentSeconds'),
    audioCodec: field('audioCodec'),
    audioBitrate: field('audioBitrate'),
    audioTracks: field('audioTracks'),
    embeddedCaptions: field('embeddedCaptions'),
    generatedCaptions: field('generatedCaptions'),
    generateLanguages: listText(captionsOf(query)?.generate_languages),
    images: imagesText(thumbnailsOf(query, 'images')),
    preview: previewText(thumbnailsOf(query, 'preview')),
  };
}

/** Whether the template has a video stream that a copy can replace: only H.264 is copied. */
export const canCopy = (query: Query): boolean => valuesAt(query, 'video', 'codec').includes('h264');

export const videoModeOf = (query: Query): VideoMode =>
  ladderOf(query) !== undefined ? 'ladder' : entriesOf(query, 'video').length > 0 ? 'fixed' : 'none';

/** Sets a field in all entries that it is about. Everything else in the query is kept. */
export function setField(query: Query, name: TextFieldName | 'audioCodec', text: string): Query {
  if (text === mixed) return query;
  if (name === 'images') return setImages(query, text);
  if (name === 'preview') return setPreview(query, text);
  const { list, key } = queryPaths[name];
  const value = name === 'generateLanguages' ? listOf(text) : jsonValue(text);
  const ladder = ladderOf(query);
  if (list === 'query') return withKey(query, key, value);
  if (list === 'captions') {
    const captions = withKey(captionsOf(query) ?? {}, key, value);
    return withKey(query, list, Object.keys(captions).length === 0 ? undefined : captions);
  }
  const change = name === 'videoCodec' ? withCodec : withKey;
  if (list === 'ladder' || (list === 'video' && ladder !== undefined)) {
    return ladder === undefined ? query : withKey(query, 'ladder', change(ladder, key, value));
  }
  // A segment length of an mp4 output would be an error.
  return changeEntries(query, list, (entry) =>
    list === 'outputs' && !isSegmented(entry.format) ? entry : change(entry, key, value),
  );
}

/** The texts between commas. Undefined for none. */
function listOf(text: string): string[] | undefined {
  const items = text.split(',').flatMap((item) => item.trim() || []);
  return items.length === 0 ? undefined : items;
}

const listText = (value: unknown): string =>
  Array.isArray(value) ? value.map(fieldText).join(', ') : fieldText(value);

/** What is typed while it means the same list, also with a comma at its end; else the list of the query. */
export const shownList = (typed: string, list: string): string =>
  (listOf(typed) ?? []).join(', ') === list ? typed : list;

const imagesText = (images: Query | undefined): string =>
  images === undefined
    ? ''
    : images.interval === undefined
      ? `count ${fieldText(images.count)}`
      : `interval ${fieldText(images.interval)}`;

const previewText = (preview: Query | undefined): string =>
  preview === undefined ? '' : fieldText(preview.format ?? defaults.preview.format);

function setImages(query: Query, text: string): Query {
  const { count: _, interval: __, ...others } = thumbnailsOf(query, 'images') ?? {};
  const [key = '', value = ''] = text.split(' ');
  return withThumbnails(query, 'images', text === '' ? undefined : { [key]: jsonValue(value), ...others });
}

const setPreview = (query: Query, format: string): Query =>
  withThumbnails(query, 'preview', format === '' ? undefined : { ...thumbnailsOf(query, 'preview'), format });

/** Profile, level and pixel format are of the codec before. */
function withCodec({ profile: _, level: __, pixel_format: ___, ...entry }: Query, key: string, value: unknown): Query {
  return withKey(entry, key, value);
}

function valuesAt(query: Query, list: QueryPath['list'], key: string): unknown[] {
  if (list === 'query') return [query[key]];
  if (list === 'captions') return [captionsOf(query)?.[key]];
  const ladder = ladderOf(query);
  if (list === 'ladder' || (list === 'video' && ladder !== undefined)) return ladder === undefined ? [] : [ladder[key]];
  return entriesOf(query, list)
    .filter(({ format }) => list !== 'outputs' || isSegmented(format))
    .map((entry) => entry[key]);
}

/** The text that all values have. */
function common(values: readonly unknown[]): string {
  const texts = new Set(values.map(fieldText));
  const [first = ''] = texts;
  return texts.size > 1 ? mixed : first;
}

/** A value of a key as the text of a control. */
export const fieldText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/**
 * The value of a control as JSON: a number where it is one. Other texts stay texts, so that nothing typed is lost and
 * the API says what is expected.
 */
export function jsonValue(text: string): unknown {
  if (text === '') return undefined;
  if (/^-?\d{1,15}(\.\d{1,6})?$/.test(text)) return Number(text);
  if (!text.startsWith('[')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
