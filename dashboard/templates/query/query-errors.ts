import type { DeliveryForm } from './query-deliveries.ts';
import type { QueryForm } from './query-form.ts';
import type { PartName } from './query-parts.ts';

/** Messages of a 422, by path such as `query.video.0.bitrate`. */
export type ErrorsByPath = Readonly<Record<string, readonly string[]>>;

export type PathError = { path: string; messages: readonly string[] };

/** Paths below `query` whose errors are shown at a field of the form. */
const fieldPaths: Record<keyof QueryForm, RegExp> = {
  videoMode: /^(video|ladder)$/,
  videoCodec: /^(ladder|video\.\d+)\.(codec|profile|pixel_format|level)$/,
  maxHeight: /^ladder\.(max_height|min_height)$/,
  maxRenditions: /^ladder\.max_renditions$/,
  ladderMode: /^ladder\.mode$/,
  maxFps: /^(ladder|video\.\d+)\.fps$/,
  encoderPreset: /^(ladder|video\.\d+)\.preset$/,
  copy: /^copy$/,
  formats: /^outputs(\.\d+(\.(format|name|container|video.*|audio.*))?)?$/,
  segmentSeconds: /^(outputs\.\d+\.segment_duration|(ladder|video\.\d+)\.gop)$/,
  audioCodec: /^audio(\.\d+(\.codec)?)?$/,
  audioBitrate: /^audio\.\d+\.bitrate$/,
  audioTracks: /^audio\.\d+\.languages.*$/,
  embeddedCaptions: /^captions(\.embedded.*)?$/,
  generatedCaptions: /^captions\.generate$/,
  generateLanguages: /^captions\.generate_languages/,
  images: /^thumbnails\.images\b/,
  preview: /^thumbnails\.preview\b/,
};

const renditionPath = /^video\.(\d+)(\.(name|width|height|bitrate|max_bitrate|buffer_size|crf|two_pass))?$/;

const prefix = 'query.';

export const queryErrors = (errors: ErrorsByPath): PathError[] =>
  Object.entries(errors)
    .filter(([field]) => field === 'query' || field.startsWith(prefix))
    .map(([field, messages]) => ({ path: field.slice(prefix.length), messages }));

/** Keys of the parts whose controls show one key each, see `query-parts.ts`; what has no control is at the first. */
const partPaths: Record<string, RegExp> = {
  'picture.rotate': /^picture(\.(rotate|crop))?$/,
  'picture.crop.top': /^picture\.crop\.top$/,
  'picture.crop.right': /^picture\.crop\.right$/,
  'picture.crop.bottom': /^picture\.crop\.bottom$/,
  'picture.crop.left': /^picture\.crop\.left$/,
  'picture.flip': /^picture\.flip$/,
  'picture.deinterlace': /^picture\.deinterlace$/,
  'watermark.image': /^watermark(\.image)?$/,
  'watermark.position': /^watermark\.position$/,
  'watermark.width': /^watermark\.width$/,
  'watermark.margin': /^watermark\.margin$/,
  'watermark.opacity': /^watermark\.opacity$/,
  'watermark.from_seconds': /^watermark\.from_seconds$/,
  'watermark.to_seconds': /^watermark\.to_seconds$/,
};

const allPaths: Record<string, RegExp> = { ...fieldPaths, ...partPaths };

/** The messages at a field of the form. Those of several entries are shown once. */
export const errorsOfField = (
  errors: readonly PathError[],
  field: keyof QueryForm | `${PartName}.${string}`,
): string[] => unique(errors.filter(({ path }) => allPaths[field]?.test(path)));

/** The messages at a control of a rendition; those of its other keys are at the bitrate. */
export function errorsOfRendition(
  errors: readonly PathError[],
  index: number,
  key: 'width' | 'height' | 'bitrate',
): string[] {
  return unique(
    errors.filter(({ path }) => {
      const [, number, , name = ''] = renditionPath.exec(path) ?? [];
      const isOwn = key === 'bitrate' ? name !== 'width' && name !== 'height' : name === key;
      return number === String(index) && isOwn;
    }),
  );
}

const deliveryPath = /^deliver(\.(\d+)(\.(storage|path|outputs|also)(\.\d+)?)?)?$/;

/** The messages at the list of copies to storages, which are of no single copy. */
export const errorsOfDeliveries = (errors: readonly PathError[]): string[] =>
  unique(errors.filter(({ path }) => path === 'deliver'));

/** The messages at a control of a copy to a storage; those of the whole copy are at its storage. */
export const errorsOfDelivery = (errors: readonly PathError[], index: number, key: keyof DeliveryForm): string[] =>
  unique(
    errors.filter(({ path }) => {
      const [, , number, , name = 'storage'] = deliveryPath.exec(path) ?? [];
      return number === String(index) && name === key;
    }),
  );

const listPaths = [renditionPath, deliveryPath];

/** Errors at keys that have no field. */
export const otherErrors = (errors: readonly PathError[]): PathError[] =>
  errors.filter(({ path }) => ![...listPaths, ...Object.values(allPaths)].some((paths) => paths.test(path)));

const unique = (errors: readonly PathError[]): string[] => [...new Set(errors.flatMap(({ messages }) => messages))];
