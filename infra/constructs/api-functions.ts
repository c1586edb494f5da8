import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { formatStageSettings } from '../stage-settings.ts';
import { tableAccessOf } from '../table-access.ts';
import type { Api } from './api.ts';
import { type ApiLambda, apiLambdas } from './api-lambdas.ts';
import type { CustomerStorages } from './customer-storages.ts';
import type { Delivery } from './delivery.ts';
import type { Edge } from './edge.ts';
import { type FunctionOptions, ServiceFunction } from './function.ts';
import { ingestsResource } from './ingest/ingests.ts';
import type { Nodes } from './nodes.ts';
import { parameters } from './parameters.ts';
import { sweepResource } from './schedule.ts';
import type { MachineResource } from './state-machine-resource.ts';
import type { Storage } from './storage.ts';
import { storageDeliveriesResource } from './storage-deliveries.ts';
import { transcriptionsResource } from './transcriptions.ts';
import { senderResource } from './webhooks/sender-resource.ts';
import type { Workers } from './workers.ts';

export type ApiResources = {
  settings: Settings;
  api: Api;
  storage: Storage;
  machine: MachineResource;
  workers: Workers;
  nodes: Nodes;
  delivery: Delivery;
  storages: CustomerStorages;
  edge: Edge | undefined;
};

type Grants = {
  size?: FunctionOptions['size'];
  give?(handler: ServiceFunction, resources: ApiResources): void;
};

/** The key of responses with secrets that are shown once: those of tokens, upload tokens and webhooks. */
const replayKey = (scope: Construct, settings: Settings) => parameters(scope, settings, 'replay-key');

/** Permissions of API functions beside those of the table, and their size if it is not that of a plain request. */
const grants: Partial<Record<ApiLambda, Grants>> = {
  account: {
    size: 'passwords',
  },
  tokens: {
    give: (handler, { settings }) => handler.uses(replayKey(handler, settings), 'read'),
  },
  users: {
    size: 'passwords',
    // The unfinished uploads of a deleted user are aborted.
    // The secrets of their storages are deleted.
    give: (handler, { storage, storages }) =>
      handler.uses(storage.bucket, { abort: ['uploads/'] }).uses(storages.secrets, 'remove'),
  },
  uploads: {
    give: (handler, { settings, storage }) =>
      handler
        .uses(storage.bucket, {
          read: ['uploads/'],
          list: ['uploads/'],
          write: ['uploads/'],
          multipart: ['uploads/'],
          parts: ['uploads/'],
        })
        .uses(ingestsResource(handler, settings), 'start')
        .uses(replayKey(handler, settings), 'read'),
  },
  videos: {
    give: (handler, { settings, storage, machine, delivery }) =>
      handler
        // The URL of an uploaded file has the permissions of its signer.
        // An image for a poster is stored, or signed a URL for, and read to check its header.
        .uses(storage.bucket, {
          read: ['plans/', 'uploads/', 'work/*/posters/'],
          list: ['work/*/posters/'],
          write: ['work/*/posters/'],
        })
        .uses(machine, ['start', 'stop'])
        .uses(delivery.signingKeys, 'read')
        .uses(sweepResource(handler, settings), 'start'),
  },
  templates: {
    // Images for watermarks. Their URLs have the permissions of their signer.
    give: (handler, { storage }) => handler.uses(storage.bucket, { read: ['images/'], write: ['images/'] }),
  },
  storages: {
    give: (handler, { storages }) => handler.uses(storages.secrets, 'store').uses(storages.secrets, 'open'),
  },
  captions: {
    give: (handler, { settings, storage, delivery }) =>
      handler
        .uses(storage.bucket, {
          read: ['plans/', 'videos/*/captions/'],
          list: ['videos/'],
          // Captions and manifests, and no media files.
          write: ['videos/*/captions/', 'videos/*.m3u8', 'videos/*.mpd'],
        })
        .uses(transcriptionsResource(handler, settings), 'start')
        .uses(delivery.signingKeys, 'read'),
  },
  'storage-deliveries': {
    give: (handler, { settings }) => handler.uses(storageDeliveriesResource(handler, settings), 'start'),
  },
  streams: {
    give: (handler, { storage, machine }) =>
      handler.uses(storage.bucket, { read: ['plans/'] }).uses(machine, ['start']),
  },
  // A presigned URL has the permissions of its signer: these are the permissions of all workers together.
  workers: {
    give: (handler, { settings, storage, machine, workers, nodes, storages }) => {
      if (settings.transcription) handler.uses(storage.speechModel(settings.transcription), 'read');
      handler
        .uses(storage.bucket, {
          read: ['uploads/', 'videos/', 'plans/', 'work/*/posters/'],
          list: ['videos/', 'plans/'],
          // In uploads/ the URLs of parts of ingests are signed.
          write: ['uploads/', 'videos/', 'plans/'],
          multipart: ['videos/'],
          parts: ['uploads/'],
        })
        .uses(ingestsResource(handler, settings), 'start')
        .uses(storageDeliveriesResource(handler, settings), 'start')
        .uses(transcriptionsResource(handler, settings), 'start')
        .uses(machine, ['succeed', 'fail'])
        .uses(workers.syncSettings, 'read')
        // URLs of objects in the storages of users are signed.
        .uses(storages.secrets, 'open')
        .uses(nodes.operations, 'invoke');
    },
  },
  nodes: {
    give: (handler, { nodes }) => handler.uses(nodes.operations, 'invoke'),
  },
  'ssh-keys': {
    give: (handler, { nodes }) => handler.uses(nodes.sshKeys, 'store'),
  },
  webhooks: {
    give: (handler, { settings }) =>
      handler
        .uses(parameters(handler, settings, 'webhook-key'), 'read')
        .uses(replayKey(handler, settings), 'read')
        .uses(senderResource(handler, settings), 'start'),
  },
  embed: {
    give: (handler, { delivery }) => handler.uses(delivery.signingKeys, 'read'),
  },
};

/** Those that store URLs of users, or pass them on to workers. */
const checksTargets: readonly ApiLambda[] = ['uploads', 'workers', 'webhooks'];

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
        // Workers on one machine may have a file of their own, which `npm start` then says.
        ...((name === 'captions' || name === 'templates') && { TRANSCRIPTION: settings.transcription !== null }),
        ...(name === 'dashboard' && { BUCKET_URL: storage.bucketUrl }),
        ...(checksTargets.includes(name) && { ALLOW_LOOPBACK_TARGETS: settings.allowLoopbackTargets }),
        ...(name === 'service' && { STAGE_SETTINGS: formatStageSettings(settings) }),
        ...(name === 'templates' && {
          TASK_CPU_UNITS: settings.workers.cpuUnits,
          TASK_MEMORY_MIB: settings.workers.memoryMib,
          TASK_SCRATCH_GIB: settings.workers.scratchGib,
        }),
        EDGE_URL: edge?.url,
        ALLOWED_ORIGINS: settings.allowedOrigins,
        REGISTRATION: settings.registration,
        USE_PROXIES: settings.delivery !== 'edge',
      },
    });
    // A function without access to the table knows no callers.
    if (tableAccessOf(`api/${name}`)) {
      handler.usesTable(storage.table);
      if (edge) handler.uses(edge.originSecret, 'read');
    }
    give?.(handler, resources);
    // A flood of worker calls takes no request of a user.
    api.route(handler, apiLambdas[name], name === 'workers' ? settings.workers : undefined);
  }
}
