import type { Api } from '../constructs/api.ts';
import type { Delivery } from '../constructs/delivery.ts';
import type { Pipeline } from '../constructs/pipeline.ts';
import type { Settings } from '../settings.ts';

/** What alarms and dashboard are about. */
export type ObservedResources = { settings: Settings; pipeline: Pipeline; delivery: Delivery; api: Api };
