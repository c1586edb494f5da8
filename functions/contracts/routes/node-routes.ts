import * as z from 'zod';
import { publishedAs } from '../fields/fields.ts';
import { container, deployStep, node, queueStats } from '../fields/node-fields.ts';
import { nodeCreate, nodeUpdate } from '../fields/node-input.ts';
import { listOf, listQuery, wholeOrPaged } from '../fields/paging.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

const common = { tag: 'Nodes', access: 'admin', ability: 'admin' } as const;
const one = z.object({ data: node });

/** A boolean in a query string. */
const flag = z
  .enum(['true', 'false', '1', '0'])
  .default('false')
  .transform((text) => text === 'true' || text === '1')
  .meta(publishedAs({ type: 'boolean', default: false }));

const bodyExample = {
  name: 'edge-fra-1',
  ip_address: '203.0.113.10',
  user: 'deploy',
  type: 'proxy',
  ssh_key_id: 2,
  hostname: 'edge1.example.com',
  cdn_mode: false,
  workers: 1,
};

export const nodeRoutes = {
  list: {
    ...common,
    operationId: 'listNodes',
    method: 'GET',
    path: '/api/nodes',
    summary: 'List nodes',
    description: `Ordered by id. ${wholeOrPaged}`,
    query: listQuery,
    status: 200,
    response: listOf(node),
  },
  create: {
    ...common,
    operationId: 'createNode',
    repeats: 'continued',
    method: 'POST',
    path: '/api/nodes',
    summary: 'Register a node',
    description:
      'Creates the record in status pending; nothing runs on the server yet. A second node with the same ip_address and type answers 422.',
    body: nodeCreate,
    bodyExample,
    status: 201,
    response: one,
  },
  get: {
    ...common,
    operationId: 'getNode',
    method: 'GET',
    path: '/api/nodes/{id}',
    summary: 'Read a node',
    status: 200,
    response: one,
    errors: ['not_found'],
  },
  update: {
    ...common,
    operationId: 'updateNode',
    method: 'PUT',
    path: '/api/nodes/{id}',
    summary: 'Change a node',
    description:
      'Fields left out stay. 409 while a step runs, and while the node is draining or deleting. Containers get the new settings with the next configure and start. An active proxy keeps its deployed hostname until configure, certificate and verify have run for the new one.',
    body: nodeUpdate,
    bodyExample: { name: 'edge-fra-1b', cdn_mode: true },
    status: 200,
    response: one,
    errors: ['concurrent_change', 'node_busy', 'not_found'],
  },
  remove: {
    ...common,
    operationId: 'deleteNode',
    method: 'DELETE',
    path: '/api/nodes/{id}',
    summary: 'Delete a node and its containers',
    description:
      'Sets the status to deleting; then a background job removes the labelled containers and the record (GET answers 404 from then on). When the server cannot be reached the node becomes failed with last_error; force=true drops the record without touching the server (204). 409 while a step runs.',
    query: z.object({ force: flag }),
    status: 202,
    emptyStatus: 204,
    response: one,
    errors: ['concurrent_change', 'node_busy', 'not_found'],
  },
  containers: {
    ...common,
    operationId: 'nodeContainers',
    method: 'GET',
    path: '/api/nodes/{id}/containers',
    summary: 'Containers on the node',
    description: 'Live over SSH, 20 s limit. Only containers with the service label.',
    status: 200,
    response: z.object({ data: z.array(container) }),
    errors: ['not_found', 'node_unreachable'],
  },
  pendingJobs: {
    ...common,
    operationId: 'nodePendingJobs',
    method: 'GET',
    path: '/api/nodes/{id}/pending-jobs',
    summary: 'Queue statistics',
    description:
      'pending counts the queued jobs that a worker of the node could lease now. Nodes share one queue and run jobs of every kind, so it is the same on all active worker nodes, and 0 on a node that is not active. All zeros for a proxy. Not wrapped.',
    status: 200,
    response: queueStats,
    errors: ['not_found'],
  },
  steps: {
    ...common,
    operationId: 'deploySteps',
    method: 'GET',
    path: '/api/nodes/{id}/deploy/steps',
    summary: 'Deployment steps of the node with their last result',
    description: 'In order.',
    status: 200,
    response: z.object({ data: z.array(deployStep) }),
    errors: ['not_found'],
  },
  deploy: {
    ...common,
    operationId: 'deploy',
    repeats: 'again',
    method: 'POST',
    path: '/api/nodes/{id}/deploy',
    summary: 'Run one deployment step',
    description:
      'Runs in the background; follow it with GET .../deploy/steps. 422 for a step the node does not have. 409 while a step runs, or while an earlier required step has not succeeded.',
    body: z.object({ step: z.string().min(1) }),
    bodyExample: { step: 'check' },
    status: 202,
    response: z.object({ data: deployStep }),
    errors: ['concurrent_change', 'node_active', 'node_busy', 'node_not_active', 'node_step_missing', 'not_found'],
  },
} as const satisfies Record<string, RouteDeclaration>;
