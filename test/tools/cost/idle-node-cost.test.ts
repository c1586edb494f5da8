import { expect, test } from 'vitest';
import { initialState, nextStep } from '../../../encoder-task/worker/state.ts';
import { settingsOf } from '../../../infra/settings.ts';
import { assumptions } from '../../../shared/pricing/video-cost.ts';
import { idleNodeAssumptions as assumed, idleNodeItems } from '../../../tools/cost/idle-node-cost.ts';

const total = (changes: Partial<typeof assumed> | object): number =>
  idleNodeItems({ ...assumed, ...changes }).reduce((sum, { dollars }) => sum + dollars, 0);

test('the model has the mean interval at which an idle worker of a node and a fetcher call', () => {
  const state = { ...initialState(0), idleResponses: 10 };
  const nextMs = settingsOf('prod').workers.idleSyncMs;
  const step = nextStep(state, { nextMs, nowMs: 0, idleExitSeconds: 0, random: 0.5 });
  expect(step).toEqual({ type: 'idle', ms: assumed.secondsPerCall * 1000 });
  expect(assumptions.fetcherSeconds).toBe(assumed.secondsPerCall);
});

test('a node of 20 workers that call every five seconds costs more than twice as much', () => {
  expect(total({ secondsPerCall: 5 })).toBeGreaterThan(30);
  expect(total({ secondsPerCall: 5 })).toBeGreaterThan(2 * total({}));
});

test('traces are billed only with the setting for them', () => {
  const names = (tracing: boolean) => idleNodeItems(assumed, { tracing }).map(({ name }) => name);
  expect(names(true).filter((name) => !names(false).includes(name))).toEqual(['traces']);
});

test('each call costs a request, a function and reads; without workers only the write of the last call remains', () => {
  const [requests] = idleNodeItems(assumed);
  expect(requests?.count).toBe(Math.round((20 * 2 * 730 * 3600) / 17.5));
  const idle = idleNodeItems({ ...assumed, workers: 0 }).filter(({ dollars }) => dollars > 0);
  expect(idle.map(({ name }) => name)).toEqual(['table writes']);
});
