import type * as z from 'zod';
import type { templateRoutes } from '../contracts/routes/template-routes.ts';
import type { Estimate } from '../estimates/estimate-video.ts';

type ShownEstimate = z.input<typeof templateRoutes.estimate.response>['data'];

export const serializeEstimate = ({ renditions, outputs, bytes, cpuSeconds, dollars }: Estimate): ShownEstimate => ({
  renditions: renditions.map(({ bitrateBps, ...one }) => ({ ...one, bitrate: bitrateBps })),
  outputs,
  bytes,
  cpu_seconds: { min: rounded(cpuSeconds.min, 1), max: rounded(cpuSeconds.max, 1) },
  // A short clip costs less than a tenth of a cent.
  cost: { currency: 'USD', min: rounded(dollars.min, 5), max: rounded(dollars.max, 5) },
});

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
