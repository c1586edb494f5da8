import { formatBytes, formatExactSpan, formatNumber } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { type Setting, unitOf } from './setting-groups.ts';

/** The value of a setting or limit for people. */
export function valueText(name: string, value: Setting['value']): string {
  const { common } = text.value;
  if (typeof value === 'boolean') return value ? common.yes : common.no;
  if (value === null) return text.value.administration.settings.notSet;
  if (typeof value === 'number') return numberText(name, value);
  if (typeof value === 'string') return value;
  return value.length === 0 ? common.none : value.join(', ');
}

const binaryUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Limits are powers of two, and the documentation names them so: 5 TiB. */
function formatBinaryBytes(bytes: number): string {
  const power = binaryUnits.findLastIndex((_, index) => bytes % 1024 ** index === 0);
  return power > 0 ? `${formatNumber(bytes / 1024 ** power)} ${binaryUnits[power]}` : formatBytes(bytes);
}

function numberText(name: string, value: number): string {
  switch (unitOf(name)) {
    case 'bytes':
      return formatBinaryBytes(value);
    case 'seconds':
      return formatExactSpan(value);
    case 'milliseconds':
      return formatNumber(value, { style: 'unit', unit: 'millisecond', unitDisplay: 'long' });
    case 'days':
      return formatExactSpan(value * 86_400);
    case 'mebibytes':
      return `${formatNumber(value)} MiB`;
    case 'gibibytes':
      return `${formatNumber(value)} GiB`;
    case 'number':
      return formatNumber(value);
  }
}
