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

function numberText(name: string, value: number): string {
  switch (unitOf(name)) {
    case 'bytes':
      return formatBytes(value);
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
