import * as z from 'zod';
import { eventTypes, testEventType } from '../event-types.ts';
import { deliveryStatuses } from '../statuses.ts';
import { shownText, timestamp, ulid } from './fields.ts';

const maxUrlCharacters = 2048;

export const webhookUrl = z
  .string()
  // Stored as it is used: without line breaks, and with the host as it is resolved.
  .overwrite((text) => URL.parse(text)?.href ?? text)
  .min(1)
  .max(maxUrlCharacters)
  .refine((text) => URL.canParse(text), {
    params: { code: 'url' },
    error: 'The url field must be a valid URL.',
  })
  .meta({
    format: 'uri',
    description:
      'https. Every address of the host must be public when an event is sent. On one machine, loopback addresses and http to them are allowed too.',
  });

/** Types of events, or `*`. */
export const webhookEvents = z
  .array(z.enum(['*', ...eventTypes]))
  .min(1)
  .max(eventTypes.length)
  .refine((types) => new Set(types).size === types.length, { error: 'The events field has a duplicate value.' })
  .refine((types) => !types.includes('*') || types.length === 1, {
    error: 'The events field must have either * alone or types of events.',
  })
  .meta({ description: 'Types of events, or * for all. Events of nodes are for administrators.' });

export const webhook = z
  .object({
    ulid,
    name: shownText(255),
    url: shownText(maxUrlCharacters),
    events: z.array(z.string()),
    active: z.boolean(),
    external_user_id: shownText(255).nullable().meta({ description: 'Null: events of all external users.' }),
    created_at: timestamp,
    updated_at: timestamp,
    disabled_at: timestamp.nullable(),
    disabled_reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the service has switched the webhook off: 410 Gone, or five days of failures.' }),
  })
  .meta({ id: 'Webhook' });

export const webhookSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/=]{44}$/)
  .meta({ description: 'Shown once. It verifies the signatures by the specification of Standard Webhooks.' });

const attempt = z.object({
  at: timestamp,
  http_status: z.int().nullable().meta({ description: 'Null when the endpoint did not answer.' }),
  milliseconds: z.int().min(0),
  error: z.string().nullable(),
  body: z.string().nullable().meta({ description: 'The first 1 KiB of the answer.' }),
});

export const delivery = z
  .object({
    ulid: ulid.meta({ description: 'The ULID of the event, which is sent as webhook-id.' }),
    event: z.string(),
    status: z.enum(deliveryStatuses),
    attempts: z.array(attempt).meta({ description: 'The last 20.' }),
    created_at: timestamp,
    next_attempt_at: timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveryEvent = z.enum([...eventTypes, testEventType]);

export const listedEvent = z
  .object({
    ulid,
    type: z.string(),
    timestamp,
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'The record as the API shows it, with `sequence`: of two events of a video, the later change has the greater one.',
    }),
  })
  .meta({ id: 'Event' });
