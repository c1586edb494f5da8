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

/** The entries of a list with commas. Undefined when the option is not given. */
export const listOption = (options: OptionValues, name: string): string[] | undefined =>
  textOption(options, name)
    ?.split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

export const parallelLimits = { min: 1, max: 32 };

/** The options --external-user-id and --external-resource-id. */
export function externalIds(options: OptionValues): { externalUserId?: string; externalResourceId?: string } {
  const externalUserId = textOption(options, 'external-user-id');
  const externalResourceId = textOption(options, 'external-resource-id');
  return {
    ...(externalUserId !== undefined && { externalUserId }),
    ...(externalResourceId !== undefined && { externalResourceId }),
  };
}
