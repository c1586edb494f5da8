import * as z from 'zod';
import { name, shownText, text, timestamp, ulid } from '../fields/fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

const common = { tag: 'SSH keys', access: 'admin', ability: 'admin' } as const;

const sshKey = z
  .object({
    id: z.int(),
    ulid,
    name: shownText(255),
    public_key: z.string(),
    fingerprint: z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/),
    nodes_count: z.int().min(0),
    created_at: timestamp,
  })
  .meta({ id: 'SshKey', description: 'private_key is never returned.' });

const one = z.object({ data: sshKey });

export const sshKeyRoutes = {
  list: {
    ...common,
    operationId: 'listSshKeys',
    method: 'GET',
    path: '/api/ssh-keys',
    summary: 'List SSH keys',
    description: 'Ordered by id.',
    status: 200,
    response: z.object({ data: z.array(sshKey) }),
  },
  create: {
    ...common,
    operationId: 'createSshKey',
    repeats: 'continued',
    method: 'POST',
    path: '/api/ssh-keys',
    summary: 'Store an SSH key',
    description:
      'The keys must match; a private key with a passphrase answers 422. The private key is kept in a secret store and never returned. Ed25519, RSA from 2048 bits, and ECDSA; the private key in OpenSSH or PEM format.',
    body: z.object({ name, public_key: text(8192), private_key: text(16_384).meta({ writeOnly: true }) }),
    bodyExample: {
      name: 'fleet',
      public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleEx fleet',
      private_key: '<PRIVATE_KEY>',
    },
    status: 201,
    response: one,
  },
  get: {
    ...common,
    operationId: 'getSshKey',
    method: 'GET',
    path: '/api/ssh-keys/{id}',
    summary: 'Read an SSH key',
    status: 200,
    response: one,
    errors: ['not_found'],
  },
  remove: {
    ...common,
    operationId: 'deleteSshKey',
    method: 'DELETE',
    path: '/api/ssh-keys/{id}',
    summary: 'Delete an SSH key',
    description: '409 while a node uses it.',
    status: 204,
    errors: ['not_found', 'ssh_key_in_use'],
  },
} as const satisfies Record<string, RouteDeclaration>;
