import { expect, test } from 'vitest';
import { settingsOf, stages } from '../../infra/settings.ts';

test('each stage has its own settings', () => {
  for (const stage of stages) expect(settingsOf(stage).stage).toBe(stage);
  expect(settingsOf('dev')).toMatchObject({ keepData: false, maxRunningExecutions: 200 });
  expect(settingsOf('prod')).toMatchObject({ keepData: true });
  expect(settingsOf('local')).toMatchObject({ fixedNames: true, workers: { secondsPerTask: 1 } });
});

test.each(stages)('registration is off in the stage %s until an operator sets it', (stage) => {
  expect(settingsOf(stage).registration).toBe(false);
  expect(settingsOf(stage, { registration: true }).registration).toBe(true);
});

test('an unknown stage is refused with the known ones', () => {
  expect(() => settingsOf('staging')).toThrow('unknown stage staging: use one of local, dev, prod');
});

test('overrides replace single settings of the stage', () => {
  const settings = settingsOf('prod', { registration: true, workers: { cpuUnits: 8192, memoryMib: 16_384 } });
  expect(settings.registration).toBe(true);
  expect(settings.workers).toMatchObject({ cpuUnits: 8192, maxTasks: 100, spotTaskShare: 0.8 });
});

test('overrides can be JSON from the command line', () => {
  expect(settingsOf('dev', '{"allowedOrigins":["https://app.example.com"]}').allowedOrigins).toEqual([
    'https://app.example.com',
  ]);
});

test.each([
  ['a misspelt name', { registrations: false }],
  ['a misspelt name of the workers', { workers: { maxTask: 1 } }],
  ['a budget of nothing', { monthlyBudget: 0, alarmEmail: 'ops@example.com' }],
  ['any origin', { allowedOrigins: ['*'] }],
  ['an image whose tag may be given to another', { nodes: { proxyImage: 'registry.example.com/proxy:latest' } }],
  ['an origin with a path', { allowedOrigins: ['https://app.example.com/'] }],
  ['more executions than an account may run', { maxRunningExecutions: 1000 }],
  ['an execution that outlives its work files', { executionTimeoutSeconds: 7 * 24 * 3600 }],
  ['a log retention that CloudWatch does not know', { logRetentionDays: 31 }],
  ['a number for a switch', { registration: 1 }],
  ['a group that is none', { workers: 5 }],
  ['text that is no JSON', '{"alarmEmail":'],
  ['JSON that is no object', '[]'],
])('%s is refused', (_, overrides) => {
  expect(() => settingsOf('dev', overrides)).toThrow(/^settings of dev: /);
});

test.each([
  [{ registrations: false }, '✖ Unrecognized key: "registrations"'],
  [{ workers: { maxTasks: '5' } }, '✖ Invalid input: expected number, received string\n  → at workers.maxTasks'],
  [
    { workers: { memoryMib: 6144 } },
    '✖ Fargate offers 8192 to 30720 MiB in steps of 1024 for 4096 CPU units\n  → at workers.memoryMib',
  ],
])('the message for %j names the setting', (overrides, words) => {
  expect(() => settingsOf('dev', overrides)).toThrow(`settings of dev: ${words}`);
});

test('termination protection is off until an operator sets it, since a failed first stack has to be deleted', () => {
  expect(settingsOf('prod').terminationProtection).toBe(false);
  expect(settingsOf('prod', { terminationProtection: true }).terminationProtection).toBe(true);
});

test('URLs of users may lead to the machine itself on one machine only', () => {
  expect(settingsOf('local').allowLoopbackTargets).toBe(false);
  expect(settingsOf('local', { allowLoopbackTargets: true }).allowLoopbackTargets).toBe(true);
  expect(() => settingsOf('prod', { allowLoopbackTargets: true })).toThrow(
    'settings of prod: allowLoopbackTargets is for one machine only',
  );
});

test('a budget needs the address that its emails go to', () => {
  expect(settingsOf('prod').monthlyBudget).toBe(null);
  expect(settingsOf('prod', { monthlyBudget: 200, alarmEmail: 'ops@example.com' }).monthlyBudget).toBe(200);
  expect(() => settingsOf('prod', { monthlyBudget: 200 })).toThrow(
    'settings of prod: monthlyBudget needs alarmEmail, the address that its emails go to',
  );
});

test('a stage of another name has the defaults of dev, once it has settings', () => {
  expect(settingsOf('staging', {})).toEqual({ ...settingsOf('dev'), stage: 'staging' });
  expect(settingsOf('staging', { registration: true })).toMatchObject({ stage: 'staging', registration: true });
});

test.each(['Staging', 'a-b', '1st', 'x'.repeat(21), ''])('%j is no name of a stage', (name) => {
  expect(() => settingsOf(name, {})).toThrow('a name has 1 to 20 lower-case letters and digits');
});
