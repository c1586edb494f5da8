import type { TaskSize } from '../../shared/pricing/task-hour.ts';
import { dollarsOf, videoCost } from '../../shared/pricing/video-cost.ts';
import { deliveryItems } from './delivery-cost.ts';
import type { IdleItem } from './idle-cost.ts';
import { mediaConvertDollars } from './media-convert.ts';
import { workloads, workOf } from './workloads.ts';

const cents = (dollars: number): string => `${(dollars * 100).toFixed(2)} ¢`;
const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
export const markdownTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [line(head), `|${head.map((_, index) => (index === 0 ? '---|' : '---:|')).join('')}`, ...rows.map(line)].join('\n');

/** The costs of a minute of source in a video of `minutes`, by template, as a Markdown table. */
export function minuteTable(task: TaskSize, minutes: number): string {
  return markdownTable(
    ['template', 'renditions', 'CPU s', 'on demand', 'Spot', 'of which not encoding', 'MediaConvert, basic'],
    workloads.map((workload) => {
      const onDemand = videoCost(workOf(workload, minutes), task, 0);
      const spot = videoCost(workOf(workload, minutes), task, 1);
      const theirs = mediaConvertDollars(workload, minutes);
      return [
        `\`${workload.template}\``,
        workload.heights.length === 0 ? 'audio' : workload.heights.join(', '),
        workload.cpuSecondsPerMinute,
        cents(dollarsOf(onDemand) / minutes),
        cents(dollarsOf(spot) / minutes),
        cents((dollarsOf(spot) - spot.encoding) / minutes),
        theirs === null || theirs === 0 ? '–' : cents(theirs / minutes),
      ];
    }),
  );
}

/** The costs of an idle month by item, as a Markdown table. */
export function idleTable(items: readonly IdleItem[], title = 'idle month'): string {
  const total = items.reduce((sum, { dollars }) => sum + dollars, 0);
  return markdownTable(
    [title, 'count', 'dollars'],
    [
      ...items.map(({ name, count, dollars }) => [name, count.toLocaleString('en-US'), dollars.toFixed(2)]),
      ['**total**', '', `**${total.toFixed(2)}**`],
    ],
  );
}

/** The costs of delivering `gb` by the edge, as a Markdown table. */
export function deliveryTable(gb: number): string {
  const items = deliveryItems(gb);
  const total = items.reduce((sum, { dollars }) => sum + dollars, 0);
  return markdownTable(
    [`${gb.toLocaleString('en-US')} GB by the edge`, 'dollars'],
    [...items.map(({ name, dollars }) => [name, dollars.toFixed(2)]), ['**total**', `**${total.toFixed(2)}**`]],
  );
}
