import * as z from 'zod';
import { timestamp } from '../../../shared/clock.ts';
import { ConcurrentChange } from '../../common/errors.ts';
import { newUlid } from '../../common/ids.ts';
import { type NodeStatus, nodeTransitions, statusesBefore } from '../../contracts/statuses.ts';
import { ConditionFailed, queryItems, transact, type Write, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { User } from '../records.ts';
import { nodeActivity } from '../writes/activity-writes.ts';
import { nodeEvent } from '../writes/event-writes.ts';
import { checkNow, type Node, type NodeWork, nodeRecord } from './node-table.ts';
import { changingProxies } from './proxy-cache.ts';

/** The last run of a step on a node. */
const stepRunRecord = z.object({
  step: z.string(),
  status: z.enum(['queued', 'running', 'succeeded', 'failed']),
  log: z.string().nullable(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
});
export type StepRun = z.infer<typeof stepRunRecord>;

/** Only the end of a log is stored, since it has the error. */
const keptLogCharacters = 16_384;

/** The last runs of a node's steps. A step that has not run is left out. */
export async function listStepRuns(ulid: string): Promise<StepRun[]> {
  const { pk, sk } = keys.nodeStep(ulid, '');
  return (await queryItems(pk, sk)).map((item) => stepRunRecord.parse(item));
}

export const queuedRun = (step: string): StepRun => ({
  step,
  status: 'queued',
  log: null,
  startedAt: null,
  finishedAt: null,
});

const newWork = (step: string, attempt = 1): NodeWork => ({
  id: newUlid(),
  step,
  attempt,
  aliveAt: timestamp(),
  claimed: false,
});

/** A node with the operation that runs on it. */
export type NodeAtWork = Node & { work: NodeWork };

/**
 * Claims a node for one step. `stale` are the steps whose success the step undoes.
 * @throws Conflict when the node changed since it was read: of two concurrent requests one succeeds
 */
export async function beginStep(node: Node, step: string, stale: readonly string[], actor: User): Promise<NodeAtWork> {
  const work = newWork(step);
  const begun = await begin(node, actor, {
    step,
    status: 'deploying',
    set: {
      work,
      verified: false,
      succeeded: node.succeeded.filter((name) => name !== step && !stale.includes(name)),
    },
    stale,
    activity: ['deployed', `Ran step ${step} on node ${node.name}`, { step }],
  });
  return { ...begun, work };
}

/** A draining node gets no jobs. It is cleaned up when its workers hold no lease, at the latest at `drainUntil`. */
export const beginDraining = (node: Node, drainUntil: string, actor: User): Promise<Node> =>
  begin(node, actor, {
    step: 'drain',
    status: 'draining',
    set: { drainUntil },
    activity: ['drained', `Drained node ${node.name}`, { step: 'drain' }],
  });

/** As draining. The node is deleted after the clean-up. */
export const beginDeleting = (node: Node, drainUntil: string, actor: User): Promise<Node> =>
  begin(node, actor, {
    step: 'remove',
    status: 'deleting',
    set: { drainUntil, verified: false },
    activity: ['deleted', `Deleted node ${node.name}`, { forced: false }],
  });

type Beginning = {
  step: string;
  status: NodeStatus;
  set: Partial<Node>;
  stale?: readonly string[];
  activity: [event: string, description: string, properties: Record<string, unknown>];
};

async function begin(node: Node, actor: User, { step, status, set, stale = [], activity }: Beginning): Promise<Node> {
  const changes = { ...set, status, lastError: null, revision: node.revision + 1, updatedAt: timestamp() };
  const taken = await tried([
    {
      update: keys.node(node.ulid),
      set: { ...changes, ...checkNow(node) },
      when: { equals: { revision: node.revision }, oneOf: comingFrom(status), absent: ['work', 'deletedAt'] },
    },
    putRun(node.ulid, queuedRun(step)),
    ...stale.map((name) => ({ delete: keys.nodeStep(node.ulid, name) })),
    nodeActivity(actor, node, ...activity),
  ]);
  if (!taken) throw new ConcurrentChange('node');
  return { ...node, ...changes };
}

const comingFrom = (status: NodeStatus) => ({ status: statusesBefore(nodeTransitions, status) });

/**
 * Schedules the clean-up of a draining or deleting node. Undefined when it is scheduled already, or the node changed.
 */
export async function scheduleCleanup(node: Node, step: 'drain' | 'remove'): Promise<NodeAtWork | undefined> {
  const work = newWork(step, (node.work?.attempt ?? 0) + 1);
  const put = await tried([
    {
      update: keys.node(node.ulid),
      set: { work, revision: node.revision + 1, ...checkNow(node) },
      when: {
        equals: {
          revision: node.revision,
          ...(node.work && { 'work.id': node.work.id, 'work.aliveAt': node.work.aliveAt }),
        },
        absent: node.work ? ['deletedAt'] : ['work', 'deletedAt'],
      },
    },
  ]);
  return put ? { ...node, work, revision: node.revision + 1 } : undefined;
}

/**
 * Starts scheduled work and returns the node. Undefined when another invocation has started it, or it was cancelled.
 */
export async function claimWork(ulid: string, workId: string): Promise<NodeAtWork | undefined> {
  try {
    const item = await write({
      update: keys.node(ulid),
      set: { 'work.claimed': true, 'work.aliveAt': timestamp() },
      when: { equals: { 'work.id': workId, 'work.claimed': false }, absent: ['deletedAt'] },
    });
    const node = nodeRecord.parse(item);
    if (!node.work) return undefined;
    await write(putRun(ulid, { ...queuedRun(node.work.step), status: 'running', startedAt: timestamp() }));
    return { ...node, work: node.work };
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}

/** Stores a heartbeat of running work with its log so far. False when the work was given to another invocation. */
export const keepWork = (ulid: string, { id, step }: NodeWork, log: string): Promise<boolean> =>
  tried([
    { update: keys.node(ulid), set: { 'work.aliveAt': timestamp() }, when: { equals: { 'work.id': id } } },
    { update: keys.nodeStep(ulid, step), set: { log: keptLog(log) }, when: { exists: true } },
  ]);

export type WorkEnd = {
  /** of the node */
  changes: Partial<Node> & Pick<Node, 'status'>;
  remove?: 'tokenHash'[];
  stale?: readonly string[];
  run: Pick<StepRun, 'status'> & { log: string };
};

/** Ends work with its outcome. False when the work was given to another invocation. */
export const endWork = (node: NodeAtWork, { changes, remove = [], stale = [], run }: WorkEnd): Promise<boolean> =>
  tried([
    {
      update: keys.node(node.ulid),
      set: { ...changes, ...checkNow(node), updatedAt: timestamp() },
      add: { revision: 1 },
      remove: ['work', ...remove],
      when: { equals: { 'work.id': node.work.id }, oneOf: comingFrom(changes.status), absent: ['deletedAt'] },
    },
    {
      update: keys.nodeStep(node.ulid, node.work.step),
      set: { kind: 'step', step: node.work.step, status: run.status, log: keptLog(run.log), finishedAt: timestamp() },
      setIfAbsent: { startedAt: null },
    },
    ...stale.map((name) => ({ delete: keys.nodeStep(node.ulid, name) })),
    ...(changes.status === 'failed' ? [nodeEvent('node.failed', { ulid: node.ulid })] : []),
  ]);

/** An empty log is stored as null. */
const keptLog = (log: string): string | null => (log === '' ? null : log.slice(-keptLogCharacters));

const putRun = (ulid: string, run: StepRun): Write => ({
  put: { ...keys.nodeStep(ulid, run.step), kind: 'step', ...run },
});

/** Writes whose lost race is a result, not an error. */
async function tried(writes: Write[]): Promise<boolean> {
  try {
    await changingProxies(transact(writes));
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
