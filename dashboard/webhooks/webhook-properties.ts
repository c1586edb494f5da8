import type { components } from '../../client/api-types.ts';

export type Webhook = components['schemas']['Webhook'];

export type WebhookState = 'active' | 'inactive' | 'disabled';

/** `inactive` was switched off by its owner, `disabled` by the service. */
export const stateOf = ({ active, disabled_at }: Pick<Webhook, 'active' | 'disabled_at'>): WebhookState =>
  active ? 'active' : disabled_at === null ? 'inactive' : 'disabled';

/** Seconds between two loads of webhooks. */
export const webhookPollSeconds = 10;
