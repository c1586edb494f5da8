import { describe, expect, test } from 'vitest';
import { allowedStep, isComplete, staleSteps } from '../../../../functions/nodes/steps/step-rules.ts';
import type { Node } from '../../../../functions/table/nodes/node-table.ts';
import { buildNode } from '../../../fixtures/records/store-node.ts';

const ofWorker = ['check', 'packages', 'docker', 'image', 'configure', 'start', 'verify'];
const ofProxy = ofWorker.toSpliced(5, 0, 'certificate');
const proxy = { type: 'proxy', workers: 1, hostname: 'edge1.example.com' } as const;

/** The step if it is allowed, or the status of the error. */
function verdict(step: string, changes: Partial<Node>): string | number {
  try {
    return allowedStep(buildNode(changes), step).name;
  } catch (error) {
    return (error as { statusCode: number }).statusCode;
  }
}

describe('a step may run', () => {
  test.each(['pending', 'failed'] as const)(
    'on a node that is %s, when the previous steps have succeeded',
    (status) => {
      for (const [index, step] of ofWorker.entries()) {
        expect(verdict(step, { status, succeeded: ofWorker.slice(0, index) })).toBe(step);
        if (index > 0) expect(verdict(step, { status, succeeded: ofWorker.slice(0, index - 1) })).toBe(409);
      }
    },
  );

  test('when no previous step has to run again for a new host name', () => {
    const outdated = ['configure', 'certificate'];
    const renamed: Partial<Node> = { ...proxy, status: 'active', succeeded: ofProxy, outdated };
    expect(verdict('configure', renamed)).toBe('configure');
    expect(verdict('certificate', renamed)).toBe(409);
    expect(verdict('certificate', { ...renamed, outdated: ['certificate'] })).toBe('certificate');
    expect(verdict('verify', { ...renamed, outdated: ['certificate'] })).toBe(409);
    expect(verdict('check', renamed)).toBe('check');
  });

  test('on an active node when it does not interrupt it', () => {
    const active = { status: 'active', succeeded: ofWorker } as const;
    expect(ofWorker.filter((step) => verdict(step, active) === step)).toEqual([
      'check',
      'packages',
      'docker',
      'image',
      'verify',
    ]);
    // An active proxy reloads its configuration; a worker would keep an invalid token.
    expect(verdict('configure', { ...proxy, status: 'active', succeeded: ofProxy })).toBe('configure');
    expect(verdict('drain', active)).toBe('drain');
    expect(verdict('remove', active)).toBe(409);
  });

  test.each(['deploying', 'draining', 'deleting'] as const)('never on a node that is %s', (status) => {
    for (const step of [...ofWorker, 'drain', 'remove'])
      expect(verdict(step, { status, succeeded: ofWorker })).toBe(409);
  });

  test('when the node has it', () => {
    for (const step of ['certificate', 'reboot', '']) expect(verdict(step, { status: 'pending' })).toBe(422);
  });

  test('to remove an incomplete deployment', () => {
    for (const status of ['pending', 'failed'] as const) {
      expect(verdict('remove', { status, succeeded: [] })).toBe('remove');
      expect(verdict('drain', { status, succeeded: ofWorker })).toBe(409);
    }
  });
});

test('a step invalidates later steps that depend on what it changes', () => {
  expect(staleSteps('worker', 'image')).toEqual([]);
  expect(staleSteps('worker', 'configure')).toEqual(['start', 'verify', 'drain', 'remove']);
  expect(staleSteps('proxy', 'configure')).toEqual([]);
  expect(staleSteps('proxy', 'start')).toEqual(['verify', 'drain', 'remove']);
  expect(staleSteps('proxy', 'remove')).toEqual(['image', 'configure', 'certificate', 'start', 'verify', 'drain']);
});

test('a node is complete when all required steps have succeeded', () => {
  expect(isComplete('worker', ofWorker)).toBe(true);
  expect(isComplete('worker', ofWorker.slice(1))).toBe(false);
  expect(isComplete('proxy', ofWorker)).toBe(false);
});
