import { expect, test } from 'vitest';
import { stepsOf } from '../../../../functions/nodes/steps/node-steps.ts';

const names = (steps: ReturnType<typeof stepsOf>) => steps.map(({ name }) => name);

test('the steps are in order, and only proxies have the step certificate', () => {
  const required = (type: 'worker' | 'proxy') => names(stepsOf(type).filter((step) => step.required));
  expect(required('worker')).toEqual(['check', 'packages', 'docker', 'image', 'configure', 'start', 'verify']);
  expect(required('proxy')).toEqual([
    'check',
    'packages',
    'docker',
    'image',
    'configure',
    'certificate',
    'start',
    'verify',
  ]);
});

test('steps that stop containers are not safe on an active node, except drain', () => {
  expect(names(stepsOf('proxy').filter((step) => !step.safeWhenActive))).toEqual(['start', 'remove']);
});

test('the time limit of every step, with connecting, is below 15 minutes', () => {
  for (const { name, timeoutSeconds } of stepsOf('proxy')) expect(timeoutSeconds + 60, name).toBeLessThan(900);
});
