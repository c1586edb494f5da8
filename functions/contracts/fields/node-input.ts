import * as z from 'zod';
import { canonicalAddress } from '../../../shared/canonical-address.ts';
import { atLeastOne, integerId, name, publishedAs } from './fields.ts';
import { nodeType } from './node-fields.ts';
import { nodeFieldErrors } from './node-rules.ts';

/**
 * Parsed to the canonical form. The handler checks the address ranges, so that publishing the schema does not need
 * their table.
 */
const ipAddress = z
  .string()
  .transform((text, context) => {
    const canonical = canonicalAddress(text);
    if (canonical !== undefined) return canonical;
    const message = 'The ip address field must be an IPv4 or IPv6 address.';
    context.issues.push({ code: 'custom', input: text, message, params: { code: 'format' } });
    return z.NEVER;
  })
  .meta({
    ...publishedAs({ type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] }),
    description:
      'IPv4 or IPv6 literal, no host names. Loopback, link-local, multicast and unspecified addresses are refused, and IPv6 addresses that embed an IPv4 address; private ranges are allowed. IPv6 addresses need a setting of the stage, which is off on AWS, where the service has no outgoing IPv6 connections.',
  });

const user = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/);

/** A name with a dot, for which a certificate can be issued. An IP address ends in a number and does not match. */
const hostname = z
  .string()
  .max(253)
  .regex(/^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/)
  .toLowerCase()
  .nullable()
  .meta({
    ...publishedAs({ type: ['string', 'null'], format: 'hostname', maxLength: 253 }),
    description: 'Required for proxy.',
  });

const cdnMode = z.boolean().meta({ description: 'True only on proxy nodes.' });
const workers = z.int().min(1).max(20).meta({ description: '1..20 on a worker; exactly 1 on a proxy.' });

export const nodeCreate = z
  .strictObject({
    name,
    ip_address: ipAddress,
    user,
    type: nodeType,
    ssh_key_id: integerId,
    hostname: hostname.optional(),
    cdn_mode: cdnMode.default(false),
    workers: workers.default(1),
  })
  .superRefine(({ type, hostname = null, cdn_mode, workers }, context) => {
    for (const [field, messages] of Object.entries(nodeFieldErrors({ type, hostname, cdnMode: cdn_mode, workers }))) {
      for (const message of messages) context.addIssue({ code: 'custom', path: [field], message });
    }
  })
  .meta({
    id: 'NodeCreate',
    // The rules above as JSON Schema.
    allOf: [
      {
        if: { properties: { type: { const: 'proxy' } }, required: ['type'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: {
          required: ['hostname'],
          properties: { hostname: { type: 'string', minLength: 1 }, workers: { const: 1 } },
        },
        else: { properties: { cdn_mode: { const: false } } },
      },
    ],
  });

export const nodeUpdate = atLeastOne(
  z.strictObject({
    name: name.optional(),
    ip_address: ipAddress.optional(),
    user: user.optional(),
    type: nodeType.optional(),
    ssh_key_id: integerId.optional(),
    hostname: hostname.optional(),
    cdn_mode: cdnMode.optional(),
    workers: workers.optional(),
  }),
).meta({
  id: 'NodeUpdate',
  minProperties: 1,
  description:
    'Partial. Rules of creation are checked on the merged record. type cannot change (422 when it differs). Changing ip_address, user or ssh_key_id puts the node back to pending and clears host_key_fingerprint.',
});
