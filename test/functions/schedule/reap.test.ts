import { ECSClient, ListTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { SendTaskFailureCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { handler } from '../../../functions/schedule/reap.lambda.ts';
import { acquireSlot } from '../../../functions/table/admission/slots.ts';
import { enqueueWaiting } from '../../../functions/table/admission/waiting-line.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import type { JobId } from '../../../functions/table/job-id.ts';
import { leaseJob } from '../../../functions/table/jobs/job-leases.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const tasks = mockClient(ECSClient);
const states = mockClient(SFNClient);
beforeEach(async () => {
  await write({ delete: keys.launches() });
  tasks.reset();
  states.reset();
  tasks.on(ListTasksCommand).resolves({ taskArns: ['one'] });
  tasks
    .on(RunTaskCommand)
    .callsFake(({ count }) => ({ tasks: Array.from({ length: count }, (_, n) => ({ taskArn: `t${n}` })) }));
  Object.assign(process.env, {
    STAGE: 'test',
    CLUSTER: 'c',
    TASK_DEFINITION: 't',
    TASK_DEFINITION_FAMILY: 'f',
    SUBNETS: 'a,b',
    SECURITY_GROUP: 'g',
    MAX_TASKS: '16',
    SPOT_TASK_SHARE: '0.8',
    SECONDS_PER_TASK: '180',
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const ownerUlid = newUlid();
const job = () => ({ videoUlid: newUlid(), planNumber: 1, kind: 'encode-video' as const, group: 0, index: 0 });
const queue = async (estimateSeconds: number) => {
  const id = job();
  const facts = { kind: id.kind, taskToken: id.videoUlid, estimateSeconds, workUnits: 1 };
  await queueJob(id, { ...facts, ownerUlid, virtualTimeSeconds: 0 });
  return id;
};
const silence = async (id: JobId) => {
  const expired = '2026-11-20T10:00:00.000000Z';
  await write({ update: keys.job(id), set: { leaseExpiresAt: expired, dueAt: expired } });
};
const requestedTasks = (): number[] => tasks.commandCalls(RunTaskCommand).map(({ args }) => args[0].input.count ?? 0);

describe('reap', () => {
  test('starts nothing when nothing is queued', async () => {
    await handler();
    expect(requestedTasks()).toEqual([]);
  });

  test('expires a lease and reports it to the state machine', async () => {
    const id = await queue(10);
    await leaseJob((await findJob(id))!, { lease: 'l', holder: 'pool', worker: 'w', epoch: 'e' });
    await silence(id);
    await handler();
    expect(await findJob(id)).toMatchObject({ status: 'FAILED', error: { code: 'WORKER_STOPPED' } });
    expect(states.commandCalls(SendTaskFailureCommand)[0]?.args[0].input).toMatchObject({
      taskToken: id.videoUlid,
      error: 'Worker.Lost',
    });
  });

  test('reports a lost job again when an earlier report failed, until no state waits for it', async () => {
    const id = await queue(10);
    await leaseJob((await findJob(id))!, { lease: 'l', holder: 'pool', worker: 'w', epoch: 'e' });
    await silence(id);
    states.on(SendTaskFailureCommand).rejectsOnce(new Error('killed'));
    await expect(handler()).rejects.toThrow();
    expect(await findJob(id)).toMatchObject({ status: 'FAILED' });
    states.on(SendTaskFailureCommand).rejects(Object.assign(new Error('gone'), { name: 'TaskTimedOut' }));
    await handler();
    await handler();
    const tokens = states.commandCalls(SendTaskFailureCommand).map(({ args }) => args[0].input.taskToken);
    expect(tokens.filter((token) => token === id.videoUlid)).toHaveLength(2);
  });

  test('starts tasks for the queued seconds, ten per call, up to the limit of running tasks', async () => {
    await Promise.all(Array.from({ length: 20 }, () => queue(170)));
    await handler();
    // 3,400 s need 19 tasks. 16 may run, and one is running.
    expect(requestedTasks()).toEqual([10, 5]);
  });

  test('starts a waiting video that took the last slot and was not started', async () => {
    vi.stubEnv('STATE_MACHINE_ARN', 'arn:machine');
    vi.stubEnv('MAX_RUNNING_EXECUTIONS', '1');
    const { video } = await storeVideo((await createPerson()).user, { status: 'pending', executionCount: 1 });
    expect(await enqueueWaiting(video)).toBe(true);
    expect(await acquireSlot({ videoUlid: video.ulid, ownerUlid: video.ownerUlid }, 1)).toBe(true);
    await handler();
    await handler();
    const names = states.commandCalls(StartExecutionCommand).map(({ args }) => args[0].input.name);
    expect(names).toEqual([`${video.ulid}-2`]);
  });

  test('leaves jobs queued for the next minute when a launch fails', async () => {
    tasks.on(RunTaskCommand).resolves({ tasks: [], failures: [{ reason: 'RESOURCE:CPU' }] });
    await handler();
    expect(requestedTasks()).toHaveLength(1);
  });
});
