import { templateQuerySchema } from '../../functions/templates/template-query.ts';
import { type CoveringArray, coveringArray, type Factor, type Row } from './covering-array.ts';
import { absent, optionValues } from './option-values.ts';

/** A template to test, with the values that differ from the first ones. */
export type OptionRow = { shape: string; query: Record<string, unknown>; text: string };

type Shape = { name: string; leavesOut: RegExp };

/** What a template makes: named streams, a ladder, or sound alone. */
const shapes: readonly Shape[] = [
  { name: 'streams', leavesOut: /^ladder\./ },
  { name: 'ladder', leavesOut: /^video\[\]/ },
  { name: 'sound', leavesOut: /^(ladder\.|video\[\])/ },
];

/** Further entries of the lists of a template, whose first entries have the values of the options. */
const further: readonly Factor[] = [
  { name: 'further output', values: [absent, 'hls', 'dash', 'mp4', 'ts'] },
  { name: 'further video', values: [false, true] },
  { name: 'further audio', values: [false, true] },
];

/**
 * Most rules of the schema are about these options. They are chosen first, and the schema is asked with each of their
 * values whether the values of a few other options can be part of a template.
 */
const decisive = ['codec', 'format', 'pixel_format', 'bitrate', 'further output'];
const isDecisive = ({ name }: Factor): boolean =>
  (decisive.includes(name.split('.').at(-1)!) && !/^(audio|thumbnails)/.test(name)) ||
  /^thumbnails\.images\.(count|interval)$/.test(name);

/** Templates in which every pair of values of the options occurs that the schema accepts. */
export function optionRows(): { rows: OptionRow[]; pairs: number; refused: string[] } {
  const covered = new Set<string>();
  const { factors } = optionValues();
  const arrays = shapes.map((shape) => {
    const own = [...factors.filter(({ name }) => !shape.leavesOut.test(name)), ...further].sort(
      (a, b) => Number(isDecisive(b)) - Number(isDecisive(a)),
    );
    return { shape, own, array: coveringArray(own, validity(own), covered) };
  });
  return {
    rows: arrays.flatMap(({ shape, own, array }) => array.rows.map((row) => optionRow(shape, own, row))),
    pairs: covered.size,
    refused: refusedBy(
      arrays.map(({ array }) => array),
      covered,
    ),
  };
}

const refusedBy = (arrays: CoveringArray[], covered: ReadonlySet<string>): string[] =>
  [...new Set(arrays.flatMap(({ refused }) => refused))].filter((pair) => !covered.has(pair));

function optionRow({ name }: Shape, factors: readonly Factor[], row: Row): OptionRow {
  const changed = factors.flatMap((factor) => {
    const position = row.get(factor.name)!;
    if (position === 0) return [];
    const value = factor.values[position];
    return [`${factor.name} ${value === absent ? 'absent' : JSON.stringify(value)}`];
  });
  return { shape: name, query: queryOf(factors, row), text: changed.join(', ') };
}

/** Whether a template with these values is valid, with the first value of the other options or another decisive one. */
function validity(factors: readonly Factor[]): (row: Row) => boolean {
  const known = new Map<string, boolean>();
  const search = (row: Row, open: readonly Factor[]): boolean => {
    const query = queryOf(factors, row);
    const key = JSON.stringify(query);
    const isValid = known.get(key) ?? templateQuerySchema.safeParse(query).success;
    known.set(key, isValid);
    if (isValid) return true;
    const [next, ...others] = open;
    if (!next) return false;
    return [...next.values.keys()].some((value) => search(new Map([...row, [next.name, value]]), others));
  };
  return (row) =>
    search(
      row,
      factors.filter((factor) => isDecisive(factor) && !row.has(factor.name)),
    );
}

/** Options that a row leaves open have their first value. */
export function queryOf(factors: readonly Factor[], row: Row): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  const more: Record<string, unknown> = {};
  for (const { name, values } of factors) {
    const value = values[row.get(name) ?? 0];
    if (further.some((factor) => factor.name === name)) more[name] = value;
    else if (value !== absent) set(query, name.split('.'), value);
  }
  addFurther(query, more);
  return query;
}

function set(target: Record<string, unknown>, [key, ...path]: string[], value: unknown): void {
  if (key === undefined) return;
  if (path.length === 0) {
    target[key] = value;
  } else if (key.endsWith('[]')) {
    const list = key.slice(0, -2);
    target[list] ??= [{}];
    set((target[list] as Record<string, unknown>[])[0]!, path, value);
  } else {
    target[key] ??= {};
    set(target[key] as Record<string, unknown>, path, value);
  }
}

type Lists = { outputs: Record<string, unknown>[]; video?: Record<string, unknown>[]; audio: unknown[] };

function addFurther(query: Record<string, unknown>, more: Record<string, unknown>): void {
  const { outputs, video, audio } = query as Lists;
  const gop = video?.[0]?.gop;
  if (more['further video'] && video) video.push({ name: 'small', codec: 'h264', height: 64, crf: 40, gop });
  if (more['further audio']) audio.push({ name: 'second', codec: 'aac', bitrate: '48k', languages: ['de'] });
  const format = more['further output'];
  if (format === 'mp4') outputs.push({ format, video: video ? ['v'] : '*', audio: ['a'] });
  else if (format === 'ts') outputs.push({ format: 'hls', container: 'ts', segment_duration: 3 });
  else if (format !== absent) outputs.push({ format, segment_duration: outputs[0]!.segment_duration });
}
