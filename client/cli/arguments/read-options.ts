import type { Clip, PictureSettings, TrackSettings } from '../../upload/upload-file.ts';
import { usageError } from '../exit-code.ts';
import type { OptionValues } from './parse-command-line.ts';

export const textOption = (options: OptionValues, name: string): string | undefined => {
  const value = options[name];
  if (value === '') throw usageError(`--${name} has no value.`);
  return typeof value === 'string' ? value : undefined;
};

/** @throws CommandError unless it is a whole number within the limits */
export function integerOption(
  options: OptionValues,
  name: string,
  { min, max, otherwise }: { min: number; max: number; otherwise: number },
): number {
  const text = textOption(options, name);
  if (text === undefined) return otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw usageError(`--${name} is a whole number from ${min} to ${max}, not '${text}'.`);
}

/** The options --start and --end, in seconds. Undefined when neither is given. */
export function clipOption(options: OptionValues): Clip | undefined {
  const secondsOf = (name: string): number | undefined => {
    const text = textOption(options, name);
    if (text === undefined || /^\d{1,8}(\.\d{1,9})?$/.test(text)) return text === undefined ? undefined : Number(text);
    throw usageError(`--${name} is a number of seconds, such as 12.5, not '${text}'.`);
  };
  const [start, end] = [secondsOf('start'), secondsOf('end')];
  if (start === undefined && end === undefined) return undefined;
  if (end !== undefined && end <= (start ?? 0)) throw usageError('--end must be after --start.');
  return { ...(start !== undefined && { start_seconds: start }), ...(end !== undefined && { end_seconds: end }) };
}

/** The entries of a list with commas. Undefined when the option is not given. */
export const listOption = (options: OptionValues, name: string): string[] | undefined =>
  textOption(options, name)
    ?.split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

export const parallelLimits = { min: 1, max: 32 };

/** The values of an option that may be given several times. Undefined when it is not given. */
export function textsOption(options: OptionValues, name: string): string[] | undefined {
  const values = options[name];
  if (!Array.isArray(values)) return undefined;
  if (values.includes('')) throw usageError(`--${name} has no value.`);
  return [...(values as string[])];
}

/** The options --metadata KEY=VALUE. An empty value is null. */
export function metadataOption(options: OptionValues): Record<string, string | null> | undefined {
  const pairs = textsOption(options, 'metadata')?.map((pair): [string, string | null] => {
    const at = pair.indexOf('=');
    if (at < 1) throw usageError(`--metadata is KEY=VALUE, not '${pair}'.`);
    return [pair.slice(0, at), pair.slice(at + 1) || null];
  });
  return pairs && Object.fromEntries(pairs);
}

export type Description = {
  externalUserId?: string;
  externalResourceId?: string;
  metadata?: Record<string, string>;
  tags?: string[];
  picture?: PictureSettings;
  tracks?: TrackSettings;
};

/** The options that describe new videos. */
export function describedBy(options: OptionValues): Description {
  const externalUserId = textOption(options, 'external-user-id');
  const externalResourceId = textOption(options, 'external-resource-id');
  const pairs = Object.entries(metadataOption(options) ?? {});
  const metadata = pairs.filter((pair): pair is [string, string] => pair[1] !== null);
  const tags = textsOption(options, 'tag');
  const picture = pictureOption(options);
  const tracks = jsonOption<TrackSettings>(options, 'tracks');
  return {
    ...(externalUserId !== undefined && { externalUserId }),
    ...(externalResourceId !== undefined && { externalResourceId }),
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) }),
    ...(tags && { tags }),
    ...(picture && { picture }),
    ...(tracks && { tracks }),
  };
}

/** The option --picture, or --rotate alone. The service checks what the JSON contains. */
function pictureOption(options: OptionValues): PictureSettings | undefined {
  const rotate = textOption(options, 'rotate');
  const picture = jsonOption<PictureSettings>(options, 'picture');
  if (rotate === undefined) return picture;
  if (picture) throw usageError('--rotate is a part of --picture: give one of them.');
  const degrees = ([0, 90, 180, 270] as const).find((each) => String(each) === rotate);
  if (degrees === undefined) throw usageError(`--rotate is 0, 90, 180 or 270, not '${rotate}'.`);
  return { rotate: degrees };
}

/** An option with a JSON object. */
function jsonOption<Value extends object>(options: OptionValues, name: string): Value | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Value;
  } catch {
    // says the same
  }
  throw usageError(`--${name} is a JSON object, not '${text}'.`);
}
