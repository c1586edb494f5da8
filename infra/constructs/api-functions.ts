import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Api } from './api.ts';
import { type ApiLambda, apiLambdas } from './api-lambdas.ts';
import type { Delivery } from './delivery.ts';
import type { Edge } from './edge.ts';
import { type FunctionOptions, ServiceFunction } from './function.ts';
import type { Nodes } from './nodes.ts';
import { sweepResource } from './schedule.ts';
import type { MachineResource } from './state-machine-resource.ts';
import type { Storage } from './storage.ts';
import type { Workers } from './workers.ts';

export type ApiResources = {
  settings: Settings;
  api: Api;
  storage: Storage;
  machine: MachineResource;
  workers: Workers;
  nodes: Nodes;
  delivery: Delivery;
  edge: Edge | undefined;
};

/** Permissions of API functions beyond the table, and their size if it is not that of a plain request. */
const grants: Partial<
  Record<ApiLambda, { size?: FunctionOptions['size']; give?(handler: ServiceFunction, resources: ApiResources): void }>
> = {
  account: { size: 'passwords' },
  users: { size: 'passwords' },
  uploads: {
    give: (handler, { storage }) =>
      handler.uses(storage.bucket, {
        read: ['uploads/'],
        list: ['uploads/'],
        write: ['uploads/'],
        multipart: ['uploads/'],
        parts: ['uploads/'],
      }),
  },
  videos: {
    give: (handler, { settings, machine, delivery }) =>
      handler
        .uses(machine, ['start', 'stop'])
        .uses(delivery.signingKeys, 'read')
        .uses(sweepResource(handler, settings), 'start'),
  },
  streams: {
    give: (handler, { storage, machine }) =>
      handler.uses(storage.bucket, { read: ['plans/'] }).uses(machine, ['start']),
  },
  // A presigned URL has the permissions of its signer: these are the permissions of all workers together.
  workers: {
    give: (handler, { storage, machine, workers, nodes }) =>
      handler
        .uses(storage.bucket, {
          read: ['uploads/', 'videos/', 'plans/'],
          list: ['videos/', 'plans/'],
          write: ['videos/', 'plans/'],
          multipart: ['videos/'],
        })
        .uses(machine, ['succeed', 'fail'])
        .uses(workers.syncSettings, 'read')
        .uses(nodes.operations, 'invoke'),
  },
  nodes: { give: (handler, { nodes }) => handler.uses(nodes.operations, 'invoke') },
  'ssh-keys': { give: (handler, { nodes }) => handler.uses(nodes.sshKeys, 'store') },
};

/** Creates the functions of the API and their routes. */
export function addApiFunctions(scope: Construct, resources: ApiResources): void {
  const { api, edge, settings, storage } = resources;
  for (const name of Object.keys(apiLambdas) as ApiLambda[]) {
    const { size = 'request', give } = grants[name] ?? {};
    const handler = new ServiceFunction(scope, `api/${name}`, {
      settings,
      size,
      description: `Handles ${apiLambdas[name].join(', ')}`,
      environment: {
        API_URL: api.url,
        EDGE_URL: edge?.url,
        ALLOWED_ORIGINS: settings.allowedOrigins,
        REGISTRATION: settings.registration,
        USE_PROXIES: settings.delivery !== 'edge',
      },
    });
    handler.uses(storage.table, 'write');
    give?.(handler, resources);
    api.route(handler, name === 'service' ? [...apiLambdas[name], '$default'] : apiLambdas[name]);
  }
}
