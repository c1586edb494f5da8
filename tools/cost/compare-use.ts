import type { Billed } from 'embedded-aws';
import { videoUse } from '../../shared/pricing/video-cost.ts';
import { markdownTable } from './cost-tables.ts';
import { deliveryAssumptions } from './delivery-cost.ts';
import { idleAssumptions } from './idle-cost.ts';
import { type MeasuredRun, measuredClip, type Uses } from './measure-run.ts';
import { workOf } from './workloads.ts';

/** `variesWithSpeed`: workers report more often during a slower encode. */
export type ComparedUse = { use: string; model: number; measured: number; variesWithSpeed?: true };

/** The model's work for the measured video. */
const work = workOf(
  {
    template: 'measured',
    cpuSecondsPerMinute: 0,
    codec: 'h264',
    heights: measuredClip.heights,
    segmentSeconds: measuredClip.segmentSeconds,
    outputs: { manifests: 1, copies: 1 },
  },
  measuredClip.durationSeconds / 60,
);

/** What AWS would bill for a run, beside what the model has for it. */
export function compareUse({ video, taskSeconds, playback, playbackChanges, scheduled }: MeasuredRun): ComparedUse[] {
  const model = videoUse(work, taskSeconds);
  const requests = sum(playback, 'edge requests', isFile);
  const perRequest = (billed: Billed): number => sum(playback, billed, (source) => !isPage(source)) / requests;
  const variesWithSpeed = true as const;
  return [
    { use: 'video: state transitions', model: model.transitions, measured: sum(video, 'state transitions') },
    {
      use: 'video: API requests of workers',
      variesWithSpeed,
      model: model.apiRequests,
      measured: sum(video, 'API requests', (route) => route.includes('/workers/')),
    },
    {
      use: 'video: function invocations',
      variesWithSpeed,
      model: model.invocations,
      measured: sum(video, 'function invocations'),
    },
    {
      use: 'video: table write units',
      variesWithSpeed,
      model: model.writeUnits,
      measured: sum(video, 'table write units'),
    },
    {
      use: 'video: table read units',
      variesWithSpeed,
      model: model.readUnits,
      measured: sum(video, 'table read units'),
    },
    { use: 'video: writes of the store', model: model.storeWrites, measured: sum(video, 'store writes', isOfVideo) },
    { use: 'video: reads of the store', model: model.storeReads, measured: sum(video, 'store reads', isOfVideo) },
    { use: 'video: objects', model: model.objects, measured: sum(video, 'objects created', isOfVideo) },
    {
      use: 'delivered file: runs of functions',
      model: deliveryAssumptions.functionRunsPerRequest,
      measured: perRequest('edge function runs'),
    },
    {
      use: 'delivered file: key value reads',
      model: deliveryAssumptions.keyValueReadsPerRequest,
      measured: perRequest('edge key value reads'),
    },
    {
      use: 'change of playback: key value store requests',
      model: deliveryAssumptions.keyValueRequestsPerChange,
      measured: sum(playbackChanges, 'key value store requests') / 2,
    },
    {
      use: 'idle run: table read units',
      model: idleAssumptions.readUnitsPerRun,
      measured: meanOfRuns(scheduled, 'table read units'),
    },
    {
      use: 'idle run: table write units',
      model: idleAssumptions.writeUnitsPerRun,
      measured: meanOfRuns(scheduled, 'table write units'),
    },
    {
      use: 'idle quarter of an hour: lists of the bucket',
      model: idleAssumptions.listsPerQuarterHour,
      measured: scheduled.reduce((total, { minutes, uses }) => total + (15 / minutes) * sum(uses, 'store writes'), 0),
    },
  ];
}

/** The comparison as a Markdown table. */
export const useTable = (rows: readonly ComparedUse[]): string =>
  markdownTable(
    ['use', 'model', 'measured', 'ratio'],
    rows.map(({ use, model, measured }) => [use, rounded(model), rounded(measured), (measured / model).toFixed(2)]),
  );

const rounded = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

/** On one machine the distribution passes the calls of workers on, so it has more logs than on AWS. */
const isOfVideo = (folder: string): boolean => folder !== 'logs/';
const isFile = (path: string): boolean => path.startsWith('/s/');
/** The function of the edge for requests to the API. */
const isPage = (source: string): boolean => source.endsWith('-viewer-address');

const sum = (uses: Uses, billed: Billed, counts: (source: string) => boolean = () => true): number =>
  [...(uses.get(billed) ?? [])].reduce((total, [source, amount]) => total + (counts(source) ? amount : 0), 0);

/** A function that runs more often counts more. */
function meanOfRuns(scheduled: MeasuredRun['scheduled'], billed: Billed): number {
  const perMinute = (value: (uses: Uses) => number): number =>
    scheduled.reduce((total, { minutes, uses }) => total + value(uses) / minutes, 0);
  return perMinute((uses) => sum(uses, billed)) / perMinute(() => 1);
}
