import * as z from 'zod';
import { queryStructure } from '../../functions/templates/query-structure.ts';
import type { Factor } from './covering-array.ts';

/** The key is left out. */
export const absent = undefined;

type Schema = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
};

const deliverOptions = ['storage', 'path', 'outputs', 'also'];
const watermarkOptions = ['image', 'position', 'width', 'margin', 'opacity', 'from_seconds', 'to_seconds'];

/**
 * Values of the options that have too many to test all: usual ones, the smallest and the largest that an encoder could
 * mishandle, and lengths that do not divide each other. Options with few values are tested with all of them.
 */
const chosenValues: Readonly<Record<string, readonly unknown[]>> = {
  'outputs[].name': [absent, 'main-1'],
  'outputs[].segment_duration': [absent, 3, 1, 20],
  'outputs[].video': ['*', ['v'], []],
  'outputs[].audio': ['*', ['a'], []],
  'video[].name': ['v'],
  'video[].width': [absent, 128, 640],
  'video[].height': [absent, 64, 360],
  'video[].bitrate': [absent, '100k', '8M'],
  'video[].max_bitrate': [absent, '90k', '12M'],
  'video[].buffer_size': [absent, '50k', '2M'],
  'video[].crf': [35, absent, 0, 51],
  'video[].fps': [absent, 5, 4],
  'video[].level': [absent, '1', '2.3', '4.1', '6.3'],
  'video[].gop': [1, 0.5, 1.5],
  'audio[].name': ['a'],
  'audio[].bitrate': ['64k', '6k', '900k'],
  'audio[].languages': ['all', 'default', ['de'], ['fr']],
  'audio[].loudness': [null, -23, -5],
  'ladder.max_bitrate': [absent, '150k'],
  'ladder.fps': [absent, 4],
  'ladder.gop': [1, 0.5, 1.5],
  'ladder.max_renditions': [8, 1],
  'thumbnails.poster.at': ['10%', '100%', '999.5s'],
  'thumbnails.poster.width': [64, 3840],
  'thumbnails.sprite.interval': [5, 1, 120],
  'thumbnails.sprite.width': [64, 640],
  'thumbnails.sprite.columns': [3, 1, 20],
  'thumbnails.sprite.rows': [2, 1, 20],
  'thumbnails.images.count': [3, absent],
  'thumbnails.images.interval': [absent, 1, 2.5],
  'thumbnails.images.width': [64, 3840],
  'thumbnails.preview.seconds': [3, 10],
  'thumbnails.preview.width': [64, 640],
  'scaling.background': [absent, '#0a64c8'],
  'picture.crop.top': [0, '12.5%'],
  'picture.crop.right': [0, 16],
  'picture.crop.bottom': [0, 3],
  'picture.crop.left': [0, '10%'],
  'tracks.video': ['auto', 0],
  'tracks.audio': ['auto', [{ from: [1], as: 'mono' }]],
  // Workers without a model of speech make none: see test/functions/transcription.
  'captions.generate_languages': [absent, ['de']],
  'captions.embedded': ['all', 'none', ['de']],
  // A template with a watermark needs an image of its user: see test/encoder-task/jobs/watermark.test.ts.
  ...Object.fromEntries(watermarkOptions.map((key) => [`watermark.${key}`, [absent]])),
  // A template that delivers needs a storage of its user: see test/journey/delivered-copy.test.ts.
  ...Object.fromEntries(deliverOptions.map((key) => [`deliver[].${key}`, [absent]])),
  // What it deletes is needed by none of the options: see `functions/schedule/sweep.lambda.ts` for its effect.
  'retention.source': ['keep', 'delete', { days: 1 }],
  'retention.video_days': [absent, 1],
  chunk_duration: [4, 5],
};

/** Every option of the template schema with the values that it is tested with, and the options without any. */
export function optionValues(): { factors: Factor[]; withoutValues: string[]; unknown: string[] } {
  const schema = z.toJSONSchema(queryStructure, { io: 'input' }) as Schema;
  const options = leaves(schema, '', true);
  const factors = options.map(({ name, ...option }) => ({ name, values: chosenValues[name] ?? valuesOf(option) }));
  return {
    factors,
    withoutValues: factors.filter(({ values }) => values.length === 0).map(({ name }) => name),
    unknown: Object.keys(chosenValues).filter((name) => !options.some((option) => option.name === name)),
  };
}

type Option = { name: string; schema: Schema; isRequired: boolean };

function leaves(schema: Schema, name: string, isRequired: boolean): Option[] {
  if (schema.items?.properties) return leaves(schema.items, `${name}[]`, isRequired);
  if (!schema.properties) return [{ name, schema, isRequired }];
  return Object.entries(schema.properties).flatMap(([key, property]) =>
    leaves(property, name === '' ? key : `${name}.${key}`, schema.required?.includes(key) === true),
  );
}

/** A default is the same as a key that is left out. */
function valuesOf({ schema, isRequired }: Omit<Option, 'name'>): unknown[] {
  const values = 'const' in schema ? [schema.const] : schema.type === 'boolean' ? [false, true] : (schema.enum ?? []);
  if (values.length === 0) return [];
  return isRequired || 'default' in schema ? values : [absent, ...values];
}
