import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { formatStageSettings } from '../stage-settings.ts';
import type { Api } from './api.ts';
import { type ApiLambda, apiLambdas } from './api-lambdas.ts';
import type { Delivery } from './delivery.ts';
import type { Edge } from './edge.ts';
import { type FunctionOptions, ServiceFunction } from './function.ts';
import { ingestsResource } from './ingest/ingests.ts';
import type { Nodes } from './nodes.ts';
import { parameters } from './parameters.ts';
import { sweepResource } from './schedule.ts';
import type { MachineResource } from './state-machine-resource.ts';
import type { Storage, TableAccess } from './storage.ts';
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
  edge: Edge | undefined;
};

/** What each request needs: it is authenticated and counted. */
const everyRequest = {
  read: ['USER#'],
  write: ['SESSION#', 'TOKEN#', 'RATE#'],
} as const satisfies TableAccess;

type Grants = {
  /** Items beyond those of every request. Without it, the function knows no callers and has no access to the table. */
  table?: TableAccess;
  size?: FunctionOptions['size'];
  give?(handler: ServiceFunction, resources: ApiResources): void;
};

/** Permissions of API functions, and their size if it is not that of a plain request. */
const grants: Record<ApiLambda, Grants> = {
  account: {
    table: {
      read: ['QUOTA#', 'USAGE#'],
      write: [
        'ACTIVITY#',
        'ADMINISTRATORS',
        'COUNTER#administrator',
        'COUNTER#user',
        'EMAIL#',
        'ID#user#',
        'KNOWN#',
        'USER#',
      ],
    },
    size: 'passwords',
  },
  users: {
    table: {
      write: [
        'ACTIVITY#',
        'ADMINISTRATORS',
        'COUNTER#administrator',
        'COUNTER#user',
        'EMAIL#',
        'EVENT#',
        'ID#user#',
        'JOBS#',
        'QUOTA#',
        'TEMPLATE#',
        'ID#webhook#',
        'UPLOAD#',
        'USER#',
        'WEBHOOKS#',
      ],
      indexes: ['byOwner'],
    },
    size: 'passwords',
    // The unfinished uploads of a deleted user are aborted.
    give: (handler, { storage }) => handler.uses(storage.bucket, { abort: ['uploads/'] }),
  },
  uploads: {
    table: {
      read: ['USAGE#', 'VIDEO#'],
      write: ['ACTIVITY#', 'EVENT#', 'JOBS#', 'QUEUE#', 'QUOTA#', 'TEMPLATE#', 'UPLOAD#', 'UPLOAD_ORIGIN#', 'USER#'],
      indexes: ['byOwner'],
    },
    give: (handler, { settings, storage }) =>
      handler
        .uses(storage.bucket, {
          read: ['uploads/'],
          list: ['uploads/'],
          write: ['uploads/'],
          multipart: ['uploads/'],
          parts: ['uploads/'],
        })
        .uses(ingestsResource(handler, settings), 'start'),
  },
  videos: {
    table: {
      read: ['ID#template#', 'ID#user#', 'NODE#', 'UPLOAD#', 'USAGE#'],
      write: [
        'ACTIVITY#',
        'EVENT#',
        'ID#video#',
        'JOBS#',
        'LISTED#',
        'PLAYBACK_CHANGES#',
        'PUBLIC',
        'QUOTA#',
        'SWEEP',
        'TEMPLATE#',
        'USER#',
        'VIDEO#',
      ],
      indexes: ['byOwner', 'byStatus'],
    },
    give: (handler, { settings, storage, machine, delivery }) =>
      handler
        .uses(storage.bucket, { read: ['plans/'] })
        .uses(machine, ['start', 'stop'])
        .uses(delivery.signingKeys, 'read')
        .uses(sweepResource(handler, settings), 'start'),
  },
  captions: {
    table: {
      read: ['JOBS#', 'NODE#'],
      write: ['ACTIVITY#', 'EVENT#', 'RETIRED#', 'VIDEO#'],
      indexes: ['byOwner'],
    },
    give: (handler, { storage, delivery }) =>
      handler
        .uses(storage.bucket, {
          read: ['plans/', 'videos/*/captions/'],
          list: ['videos/'],
          // Captions and manifests, and no media files.
          write: ['videos/*/captions/', 'videos/*.m3u8', 'videos/*.mpd'],
        })
        .uses(delivery.signingKeys, 'read'),
  },
  streams: {
    table: {
      read: ['ID#video#', 'JOBS#', 'UPLOAD#', 'USAGE#'],
      write: ['ACTIVITY#', 'COUNTER#stream', 'ID#output#', 'ID#stream#', 'QUOTA#', 'RETIRED#', 'VIDEO#'],
    },
    give: (handler, { storage, machine }) =>
      handler.uses(storage.bucket, { read: ['plans/'] }).uses(machine, ['start']),
  },
  // A presigned URL has the permissions of its signer: these are the permissions of all workers together.
  workers: {
    table: {
      read: ['EARLY_WORKER#', 'NODE_CAPACITY', 'POOL'],
      write: [
        'ANALYTICS#',
        'EVENT#',
        'JOBS#',
        'NODE#',
        'PERIOD#',
        'QUEUE#',
        'QUOTA#',
        'UPLOAD#',
        'USAGE#',
        'VIDEO#',
        'WORKER#',
      ],
      indexes: ['byOwner', 'due', 'leases', 'queue'],
    },
    give: (handler, { settings, storage, machine, workers, nodes }) =>
      handler
        .uses(storage.bucket, {
          read: ['uploads/', 'videos/', 'plans/'],
          list: ['videos/', 'plans/'],
          // In uploads/ the URLs of parts of ingests are signed.
          write: ['uploads/', 'videos/', 'plans/'],
          multipart: ['videos/'],
          parts: ['uploads/'],
        })
        .uses(ingestsResource(handler, settings), 'start')
        .uses(machine, ['succeed', 'fail'])
        .uses(workers.syncSettings, 'read')
        .uses(nodes.operations, 'invoke'),
  },
  queue: {
    table: { read: ['JOBS#', 'NODE#', 'UPLOAD#', 'WORKER#'], indexes: ['due', 'queue'] },
  },
  nodes: {
    table: {
      read: ['ID#ssh-key#'],
      write: ['ACTIVITY#', 'ADDRESS#', 'COUNTER#node', 'EVENT#', 'ID#node#', 'NODE#', 'SSH_KEY#'],
      indexes: ['byOwner', 'leases', 'queue'],
    },
    give: (handler, { nodes }) => handler.uses(nodes.operations, 'invoke'),
  },
  'ssh-keys': {
    table: { write: ['ACTIVITY#', 'COUNTER#ssh-key', 'ID#ssh-key#', 'SSH_KEY#'], indexes: ['byOwner'] },
    give: (handler, { nodes }) => handler.uses(nodes.sshKeys, 'store'),
  },
  tokens: { table: { write: ['ACTIVITY#', 'COUNTER#token', 'USER#'], indexes: ['byOwner'] } },
  activity: { table: { read: ['ACTIVITY#'], write: ['USER#'] } },
  analytics: { table: { read: ['ANALYTICS#'] } },
  usage: { table: { read: ['ID#user#', 'USAGE#'] } },
  outputs: { table: { write: ['ACTIVITY#', 'ID#output#', 'RETIRED#', 'VIDEO#'] } },
  templates: {
    table: {
      write: [
        'ACTIVITY#',
        'COUNTER#template',
        'EVENT#',
        'ID#template#',
        'JOBS#',
        'QUOTA#',
        'TEMPLATE#',
        'UPLOAD#',
        'USER#',
      ],
      indexes: ['byOwner'],
    },
  },
  webhooks: {
    table: {
      read: ['EVENT#', 'ID#user#', 'NODE#', 'TEMPLATE#', 'UPLOAD#', 'VIDEO#'],
      write: ['ACTIVITY#', 'DELIVERIES#', 'DUE#', 'ID#webhook#', 'USER#', 'WEBHOOKS#'],
    },
    give: (handler, { settings }) =>
      handler
        .uses(parameters(handler, settings, 'webhook-key'), 'read')
        .uses(senderResource(handler, settings), 'start'),
  },
  embed: {
    table: { read: ['NODE#', 'VIDEO#'], indexes: ['byOwner'] },
    give: (handler, { delivery }) => handler.uses(delivery.signingKeys, 'read'),
  },
  service: { table: { read: ['COUNTER#administrator'] } },
  dashboard: {},
};

/** Those that store URLs of users, or pass them on to workers. */
const checksTargets: readonly ApiLambda[] = ['uploads', 'workers', 'webhooks'];

/** Creates the functions of the API and their routes. */
export function addApiFunctions(scope: Construct, resources: ApiResources): void {
  const { api, edge, settings, storage } = resources;
  for (const name of Object.keys(apiLambdas) as ApiLambda[]) {
    const { table, size = 'request', give } = grants[name];
    const handler = new ServiceFunction(scope, `api/${name}`, {
      settings,
      size,
      description: `Handles ${apiLambdas[name].join(', ')}`,
      environment: {
        API_URL: api.url,
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
    if (table) {
      handler.uses(storage.table, {
        ...table,
        read: [...everyRequest.read, ...(table.read ?? [])],
        write: [...everyRequest.write, ...(table.write ?? [])],
      });
      if (edge) handler.uses(edge.originSecret, 'read');
    }
    give?.(handler, resources);
    // A flood of worker calls takes no request of a user.
    api.route(handler, apiLambdas[name], name === 'workers' ? settings.workers : undefined);
  }
}
