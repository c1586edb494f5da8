import { pipelineFunctions } from '../state-machine/pipeline-functions.ts';
import { apiLambdas } from './api-lambdas.ts';

/** Every module below `functions/` that exports a Lambda handler, without extension. */
export const handlers: readonly string[] = [
  ...Object.keys(apiLambdas).map((name) => `api/${name}`),
  ...pipelineFunctions.map((name) => `pipeline/${name}`),
  // Deployed while the setting `storeWebhook` is on.
  'api/ingest/store-events',
  'delivery/count-accesses',
  'delivery/deployment/edge-log',
  'delivery/deployment/origin-secret',
  'delivery/rotate-keys',
  'ingests/continue-ingests',
  'nodes/operate',
  'schedule/check-nodes',
  'schedule/reap',
  'schedule/reconcile',
  'schedule/sweep',
  'setup',
  'webhooks/dispatch',
  'webhooks/send',
];
