import type * as z from 'zod';
import { timestamp } from '../../shared/clock.ts';
import type { delivery as deliverySchema, webhook as webhookSchema } from '../contracts/fields/webhook-fields.ts';
import { type Delivery, dueAt } from '../table/webhooks/webhook-deliveries.ts';
import type { Webhook } from '../table/webhooks/webhook-table.ts';

export const serializeWebhook = (webhook: Webhook): z.input<typeof webhookSchema> => ({
  ulid: webhook.ulid,
  name: webhook.name,
  url: webhook.url,
  events: webhook.events,
  active: webhook.active,
  external_user_id: webhook.externalUserId,
  created_at: webhook.createdAt,
  updated_at: webhook.updatedAt,
  disabled_at: webhook.disabledAt,
  disabled_reason: webhook.disabledReason,
});

export const serializeDelivery = (delivery: Delivery): z.input<typeof deliverySchema> => ({
  ulid: delivery.ulid,
  event: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts.map(({ at, httpStatus, milliseconds, error, body }) => ({
    at,
    http_status: httpStatus,
    milliseconds,
    error,
    body,
  })),
  created_at: delivery.createdAt,
  next_attempt_at: delivery.due === undefined ? null : timestamp(dueAt(delivery.due)),
});
