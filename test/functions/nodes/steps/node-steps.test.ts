import { expect, test } from 'vitest';
import { stepsOf } from '../../../../functions/nodes/steps/node-steps.ts';

const names = (steps: ReturnType<typeof stepsOf>) => steps.map(({ name }) => name);

test('the steps come in the order in which they are needed, a certificate only for proxies', () => {
  const required = (type: 'worker' | 'proxy') => names(stepsOf(type).filter((step) => step.required));
  expect(required('worker')).toEqual(['check', 'packages', 'docker', 'image', 'configure', 'start', 'verify']);
  expect(required('proxy')).toEqual([
    ...['check', 'packages', 'docker', 'image', 'configure', 'certificate', 'start', 'verify'],
  ]);
});

test('what stops containers is not for a node that works, but for draining it', () => {
  expect(names(stepsOf('proxy').filter((step) => !step.safeWhenActive))).toEqual(['start', 'remove']);
});

test('every step ends, with connecting and closing, within the 15 minutes of an invocation', () => {
  for (const { name, timeoutSeconds } of stepsOf('proxy')) expect(timeoutSeconds + 60, name).toBeLessThan(900);
});
