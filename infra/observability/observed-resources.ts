import type { Api } from '../constructs/api.ts';
import type { Delivery } from '../constructs/delivery.ts';
import type { Pipeline } from '../constructs/pipeline.ts';
import type { Webhooks } from '../constructs/webhooks/webhooks.ts';
import type { Settings } from '../settings.ts';

/** The resources whose metrics the alarms and the dashboard use. */
export type ObservedResources = {
  settings: Settings;
  pipeline: Pipeline;
  delivery: Delivery;
  api: Api;
  webhooks: Webhooks;
  /** without a name if the stage has none */
  earlyWorker: { functionName: string | undefined };
};
