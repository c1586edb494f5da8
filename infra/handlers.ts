import { apiLambdas } from './constructs/api-lambdas.ts';

/** What the states of the state machine call. */
export const pipelineFunctions = [
  'create-video',
  'enqueue',
  'plan',
  'start-packaging',
  'package-output',
  'publish',
  'fail-streams',
  'fail-output',
  'fail',
] as const;
export type PipelineFunction = (typeof pipelineFunctions)[number];

/** Every entry below `functions/` that exports a handler, without extension. */
export const handlers: readonly string[] = [
  ...Object.keys(apiLambdas).map((name) => `api/${name}`),
  ...pipelineFunctions.map((name) => `pipeline/${name}`),
  'delivery/count-accesses',
  'delivery/rotate-keys',
  'nodes/operate',
  'schedule/check-nodes',
  'schedule/reap',
  'schedule/reconcile',
  'schedule/sweep',
  'setup',
];
