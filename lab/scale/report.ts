import type { KeyUse } from './table/meter.ts';

/** One run of an operation. */
export type Measured = {
  name: string;
  /** equal calls in the run */
  calls: number;
  /** results of workers in the run */
  results?: number;
  seconds: number;
  /** after the largest number of requests that a run may make */
  isStopped: boolean;
  failure?: string;
  requests: number;
  readUnits: number;
  writeUnits: number;
  /** requests to services beside the table */
  otherCalls: number;
  hottestRead?: KeyUse | undefined;
  hottestWrite?: KeyUse | undefined;
};

/** The same operation on a small table, on one with more records and on one with more nodes. */
export type Compared = { small: Measured; manyRecords: Measured; manyNodes: Measured };

export const limits = {
  /** capacity units on the large table, relative to the small one */
  ratio: 1.1,
  /** of one partition key, when workers report `resultsPerSecond` */
  writeUnitsPerSecond: 500,
  readUnitsPerSecond: 1500,
  resultsPerSecond: 1000,
} as const;

export const unitsOf = ({ readUnits, writeUnits, calls }: Measured): number => (readUnits + writeUnits) / calls;

/** What a measurement shows that must not be. Empty when all limits are kept. */
export function exceeded({ small, manyRecords, manyNodes }: Compared): string[] {
  const problems: string[] = [];
  for (const [what, large] of Object.entries({ records: manyRecords, nodes: manyNodes })) {
    if (large.failure) problems.push(`failed with many ${what}: ${large.failure}`);
    else if (large.isStopped) problems.push(`stopped with many ${what}`);
    else if (unitsOf(large) > limits.ratio * unitsOf(small)) problems.push(`grows with ${what}`);
  }
  if (small.failure) problems.push(`failed: ${small.failure}`);
  for (const kind of ['reads', 'writes'] as const) {
    const most = Math.max(...[small, manyRecords, manyNodes].map((one) => unitsPerSecond(one, kind) ?? 0));
    const limit = kind === 'reads' ? limits.readUnitsPerSecond : limits.writeUnitsPerSecond;
    if (most > limit) problems.push(`a partition key takes ${Math.round(most)} ${kind} a second`);
  }
  return problems;
}

/** The units of the hottest partition key at the rate of results that a stage must take. */
export function unitsPerSecond(measured: Measured, kind: 'reads' | 'writes'): number | undefined {
  const hottest = kind === 'reads' ? measured.hottestRead : measured.hottestWrite;
  if (measured.results === undefined || !hottest) return undefined;
  return (hottest[kind] * limits.resultsPerSecond) / measured.results;
}

const columns = ['operation', 'requests', 'RRU', 'WRU', 'ms', '× records', '× nodes', 'hottest keys', ''];

/** One line for each operation: a call on the table with many records, and what it is relative to the small table. */
export function formatReport(compared: readonly Compared[]): string {
  const lines = compared.map((one) => {
    const { manyRecords, small, manyNodes } = one;
    const per = (value: number): string => round(value / manyRecords.calls);
    const ratio = (large: Measured): string =>
      large.isStopped ? 'stopped' : (unitsOf(large) / unitsOf(small)).toFixed(2);
    return [
      manyRecords.name,
      per(manyRecords.requests),
      per(manyRecords.readUnits),
      per(manyRecords.writeUnits),
      per(1000 * manyRecords.seconds),
      ratio(manyRecords),
      ratio(manyNodes),
      hottestKeys(manyRecords),
      exceeded(one).join('; ') || 'ok',
    ];
  });
  const widths = columns.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]!.length)));
  return [columns, ...lines]
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function hottestKeys(measured: Measured): string {
  return (['reads', 'writes'] as const)
    .flatMap((kind) => {
      const hottest = kind === 'reads' ? measured.hottestRead : measured.hottestWrite;
      if (!hottest || hottest[kind] === 0) return [];
      const perSecond = unitsPerSecond(measured, kind);
      const units = perSecond === undefined ? round(hottest[kind] / measured.calls) : `${Math.round(perSecond)}/s`;
      return [`${withoutUlids(hottest.name)} ${units} ${kind}`];
    })
    .join(', ');
}

const withoutUlids = (name: string): string => name.replace(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, '…');

const round = (value: number): string => String(value >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
