import { nodeAddressProblem } from '../../shared/target-url.ts';
import { nodeTargets } from '../common/allowed-targets.ts';
import { Conflict, unknownRecord, ValidationFailed } from '../common/errors.ts';
import { nodeFieldErrors } from '../contracts/fields/node-rules.ts';
import { readListPage } from '../contracts/fields/paging.ts';
import { nodeRoutes } from '../contracts/routes/node-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { listNodeContainers } from '../nodes/invoke-operation.ts';
import { cleanUpWhenIdle, drainDeadline } from '../nodes/node-cleanup.ts';
import { startStep } from '../nodes/start-step.ts';
import { type Step, stepsOf } from '../nodes/steps/node-steps.ts';
import { renamed } from '../nodes/steps/step-rules.ts';
import { serializeNode, serializeStep } from '../serializers/serialize-node.ts';
import { countLeases } from '../table/jobs/lease-lists.ts';
import { countNodes, listNodePart } from '../table/nodes/node-lists.ts';
import { createNode, hideNode, updateNode } from '../table/nodes/node-registry.ts';
import { findNode, findNodeById, type Node } from '../table/nodes/node-table.ts';
import { beginDeleting, listStepRuns, type StepRun } from '../table/nodes/node-work.ts';
import { findSshKey } from '../table/nodes/ssh-key-table.ts';
import { countQueued } from '../table/queue/queue-table.ts';

const findNamed = ({ params }: { params: { id: string } }) => findNodeById(params.id);

const list = route(nodeRoutes.list, async ({ query }) => {
  const { rows, meta } = await readListPage(query, { read: listNodePart, count: countNodes });
  return { data: rows.map(serializeNode), ...(meta && { meta }) };
});

const create = route(nodeRoutes.create, async ({ body, user: actor }) => {
  const { name, type, user, ip_address: ipAddress, hostname = null, cdn_mode: cdnMode, workers } = body;
  checkAddress(ipAddress);
  const sshKey = await sshKeyById(body.ssh_key_id);
  const settings = { name, type, ipAddress, user, hostname, cdnMode, workers, sshKey };
  return { data: serializeNode(await createNode(settings, actor)) };
});

const get = recordRoute(nodeRoutes.get, findNamed, async ({ found }) => ({ data: serializeNode(found) }));

const update = recordRoute(nodeRoutes.update, findNamed, async ({ found: node, body, user: actor }) => {
  if (body.type !== undefined && body.type !== node.type) {
    throw new ValidationFailed({ type: ['The type of a node cannot be changed.'] });
  }
  const settings = {
    name: body.name ?? node.name,
    ipAddress: body.ip_address ?? node.ipAddress,
    user: body.user ?? node.user,
    hostname: body.hostname === undefined ? node.hostname : body.hostname,
    cdnMode: body.cdn_mode ?? node.cdnMode,
    workers: body.workers ?? node.workers,
  };
  const faults = nodeFieldErrors({ ...settings, type: node.type });
  if (Object.keys(faults).length > 0) throw new ValidationFailed(faults);
  if (body.ip_address !== undefined) checkAddress(settings.ipAddress);
  const sshKey = body.ssh_key_id === undefined ? node.sshKey : await sshKeyById(body.ssh_key_id);
  const deployed = renamed(node, settings.hostname);
  if (busyStatuses.includes(node.status)) throw new Conflict('node_busy', `The node is ${node.status}.`);
  return { data: serializeNode(await updateNode(node, { ...settings, sshKey, deployed }, actor)) };
});

/** In these statuses an operation uses the node's settings, so they cannot be changed. */
const busyStatuses: readonly Node['status'][] = ['deploying', 'draining', 'deleting'];

const remove = recordRoute(nodeRoutes.remove, findNamed, async ({ found: node, query: { force }, user: actor }) => {
  if (force) return hideNode(node, actor).then(() => undefined);
  if (node.work && node.status !== 'deleting')
    throw new Conflict('node_busy', `The step ${node.work.step} is running.`);
  if (node.status !== 'deleting') await cleanUpWhenIdle(await beginDeleting(node, drainDeadline(), actor));
  return { data: serializeNode((await findNode(node.ulid)) ?? { ...node, status: 'deleting' }) };
});

const containers = recordRoute(nodeRoutes.containers, findNamed, async ({ found }) => ({
  data: await listNodeContainers(found.ulid),
}));

const pendingJobs = recordRoute(nodeRoutes.pendingJobs, findNamed, async ({ found: { ulid, type, status } }) => {
  if (type === 'proxy') return { pending: 0, reserved: 0, total: 0 };
  // Only active nodes get new jobs. A draining node can still hold some.
  const [pending, reserved] = await Promise.all([status === 'active' ? countQueued() : 0, countLeases(ulid)]);
  return { pending, reserved, total: pending + reserved };
});

const steps = recordRoute(nodeRoutes.steps, findNamed, async ({ found }) => {
  const runs = new Map((await listStepRuns(found.ulid)).map((run) => [run.step, run]));
  const currentRun = ({ name }: Step): StepRun | undefined => {
    const run = runs.get(name);
    return run?.status === 'succeeded' && found.outdated.includes(name) ? undefined : run;
  };
  return { data: stepsOf(found.type).map((step, index) => serializeStep(step, index + 1, currentRun(step))) };
});

const deploy = recordRoute(nodeRoutes.deploy, findNamed, async ({ found, body, user }) => {
  const { step, run } = await startStep(found, body.step, user);
  return { data: serializeStep(step, stepsOf(found.type).findIndex(({ name }) => name === step.name) + 1, run) };
});

/** Loopback and IPv6 addresses are accepted only if a setting allows them: on one machine and in tests. */
function checkAddress(ipAddress: string): void {
  const problem = nodeAddressProblem(ipAddress, nodeTargets());
  if (problem !== undefined) throw new ValidationFailed({ ip_address: [problem] });
}

async function sshKeyById(id: number): Promise<Node['sshKey']> {
  const key = await findSshKey(String(id));
  if (!key) throw unknownRecord('ssh_key_id');
  return { id: key.id, ulid: key.ulid };
}

export const handler = createApiHandler([list, create, get, update, remove, containers, pendingJobs, steps, deploy], {
  respondOnce,
});
