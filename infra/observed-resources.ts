import type { Api } from './api.ts';
import type { Delivery } from './delivery.ts';
import type { Pipeline } from './pipeline.ts';
import type { Settings } from './settings.ts';

/** What alarms and dashboard are about. */
export type ObservedResources = { settings: Settings; pipeline: Pipeline; delivery: Delivery; api: Api };
