import { describe, expect, test } from 'vitest';
import {
  canRun,
  type DeployStep,
  healthOf,
  nextStep,
  shownStep,
} from '../../../../dashboard/administration/nodes/node-properties.ts';

const step = (
  order: number,
  name: string,
  status: DeployStep['status'],
  properties: Partial<DeployStep> = {},
): DeployStep => ({
  step: name,
  name,
  description: '',
  order,
  required: true,
  status,
  log: null,
  started_at: null,
  finished_at: status === 'succeeded' || status === 'failed' ? `2026-11-22T10:0${order}:00Z` : null,
  ...properties,
});

const drain = step(4, 'drain', 'pending', { required: false });
const halfway = [step(1, 'check', 'succeeded'), step(2, 'docker', 'failed'), step(3, 'verify', 'pending'), drain];
const deployed = [step(1, 'check', 'succeeded'), step(2, 'docker', 'succeeded'), step(3, 'verify', 'succeeded'), drain];

const runnable = (steps: readonly DeployStep[], status: 'pending' | 'active' | 'deploying' | 'failed') =>
  steps.filter((one) => canRun(one, steps, { status })).map(({ step }) => step);

describe('the steps that can run', () => {
  test('are those that succeeded and the next one', () => {
    expect(nextStep(halfway)?.step).toBe('docker');
    expect(runnable(halfway, 'failed')).toEqual(['check', 'docker']);
  });
  test('are none while a step runs', () => {
    expect(runnable([step(1, 'check', 'running'), step(2, 'docker', 'pending')], 'deploying')).toEqual([]);
    expect(runnable([step(1, 'check', 'queued'), step(2, 'docker', 'pending')], 'pending')).toEqual([]);
  });
  test('of an active node include drain', () => {
    expect(nextStep(deployed)).toBeUndefined();
    expect(runnable(deployed, 'active')).toEqual(['check', 'docker', 'verify', 'drain']);
  });
});

test('the log that is shown is that of the running step, else of the last one that ended', () => {
  expect(shownStep(halfway)?.step).toBe('docker');
  expect(shownStep([...deployed, step(5, 'remove', 'running')])?.step).toBe('remove');
  expect(shownStep([step(1, 'check', 'pending')])).toBeUndefined();
});

test('a node in service that has not called for a while is late', () => {
  const now = Date.parse('2026-11-22T10:05:00Z');
  const node = (status: 'active' | 'failed' | 'pending', last_seen_at: string | null) => ({ status, last_seen_at });
  expect(healthOf(node('active', '2026-11-22T10:04:30Z'), now)).toBe('healthy');
  expect(healthOf(node('active', '2026-11-22T10:00:00Z'), now)).toBe('late');
  expect(healthOf(node('active', null), now)).toBe('late');
  expect(healthOf(node('failed', '2026-11-22T10:04:30Z'), now)).toBe('failed');
  expect(healthOf(node('pending', null), now)).toBe('none');
});
