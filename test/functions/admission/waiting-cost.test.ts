import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { admitWaiting, checkSlots, hasSlot, releaseSlot } from '../../../functions/admission/admission.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { acquireSlot, countAdmitted, findAdmitted, freeSlot } from '../../../functions/table/admission/slots.ts';
import { enqueueWaiting, firstWaiting } from '../../../functions/table/admission/waiting-line.ts';
import type { User } from '../../../functions/table/records.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { countTableCalls } from '../../fixtures/records/count-table-calls.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
const states = mockClient(SFNClient);

const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const limit = (slots: number) => vi.stubEnv('MAX_RUNNING_EXECUTIONS', String(slots));
const freeAll = async () => {
  for (const ulid of Object.keys(await findAdmitted())) await freeSlot(ulid);
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  states.reset();
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:machine');
});
afterEach(async () => {
  // Starts all that wait, and lets the users leave the line.
  limit(1000);
  await admitWaiting();
  await freeAll();
  passSeconds(31);
  await firstWaiting({ users: 100, videosOfUser: 1 });
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

async function waits(user: User) {
  const { video } = await storeVideo(user, { status: 'pending' });
  expect(await enqueueWaiting(video)).toBe(true);
  return video;
}
const started = () => states.commandCalls(StartExecutionCommand).map(({ args }) => args[0].input.name?.slice(0, 26));

test('the end of a video costs the same with few and with many waiting videos', async () => {
  const { user } = await createPerson();
  limit(1);
  const ends = async () => {
    await freeAll();
    const { video } = await storeVideo(user, { status: 'completed' });
    expect(await acquireSlot({ videoUlid: video.ulid, ownerUlid: user.ulid }, 1)).toBe(true);
    return countTableCalls(() => releaseSlot(video));
  };
  for (let n = 0; n < 11; n++) await waits(user);
  const few = await ends();
  for (let n = 0; n < 30; n++) await waits(user);
  const many = await ends();
  expect(started()).toHaveLength(2);
  expect(many.read).toBe(few.read);
  expect(many.written).toBe(few.written);
});

test('the limit is never exceeded, whatever ends and starts at the same time', async () => {
  const ownerUlid = newUlid();
  for (const slots of [1, 7, 16, 19]) {
    // The embedded table runs one transaction at a time: with many more callers, some would use up their attempts.
    const asked = Array.from({ length: slots + 6 }, () => acquireSlot({ videoUlid: newUlid(), ownerUlid }, slots));
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(slots);
    expect(await countAdmitted()).toBe(slots);
    const admitted = Object.keys(await findAdmitted());
    expect(admitted).toHaveLength(slots);
    // Each is released once, however often its end is reported.
    await Promise.all([...admitted, ...admitted].map((ulid) => freeSlot(ulid)));
    expect(await countAdmitted()).toBe(0);
  }
});

test('a user with a few videos is started between those of a user with many, and users take turns', async () => {
  const [many, few] = [(await createPerson()).user, (await createPerson()).user];
  const order = [];
  for (let n = 0; n < 12; n++) order.push((await waits(many)).ulid);
  const last = await waits(few);
  limit(2);
  expect(await admitWaiting()).toBe(2);
  expect(started()).toEqual([order[0], last.ulid]);
  await freeAll();
  expect(await admitWaiting()).toBe(2);
  expect(started().slice(2)).toEqual(order.slice(1, 3));
});

test('more users than are compared at a time all get their turn', async () => {
  const users = await Promise.all(Array.from({ length: 28 }, async () => (await createPerson()).user));
  for (const user of users) {
    await waits(user);
    await waits(user);
    passSeconds(1);
  }
  limit(28);
  expect(await admitWaiting()).toBe(28);
  const owners = Object.values(await findAdmitted());
  expect(new Set(owners.slice(0, 25)).size).toBeGreaterThan(20);
  await freeAll();
  await admitWaiting();
  expect(new Set([...owners, ...Object.values(await findAdmitted())]).size).toBe(28);
});

test('a video that cannot be started does not hold up the others, and stays in the line', async () => {
  const { user } = await createPerson();
  const [first, second] = [await waits(user), await waits(user)];
  limit(5);
  states.on(StartExecutionCommand).rejectsOnce(new Error('refused'));
  await expect(admitWaiting()).rejects.toThrow();
  expect(started()).toEqual([first.ulid, second.ulid]);
  expect(await firstWaiting({ users: 5, videosOfUser: 5 })).toEqual([{ videoUlid: first.ulid, ownerUlid: user.ulid }]);
});

test('a new video gets a slot at once while no other waits, and the slots of ended videos are found', async () => {
  const { user } = await createPerson();
  limit(1);
  const { video } = await storeVideo(user, { status: 'completed' });
  expect(await hasSlot(video)).toBe(true);
  expect(await hasSlot((await storeVideo(user, { status: 'pending' })).video)).toBe(false);
  expect(await checkSlots()).toEqual({ freed: 1, started: 0 });
  expect(await hasSlot((await storeVideo(user, { status: 'pending' })).video)).toBe(true);
});
