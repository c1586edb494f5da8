import { afterEach, expect, test, vi } from 'vitest';
import { formatEnvironment, readEnvironment } from '../../shared/environment.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('what infra sets is what a function reads', () => {
  const environment = formatEnvironment({
    TABLE_NAME: 'videos',
    MAX_TASKS: 20,
    SPOT_TASK_SHARE: 0.8,
    SUBNETS: ['a', 'b'],
    ALLOWED_ORIGINS: [],
    REGISTRATION: true,
    ALLOW_LOOPBACK_NODES: false,
    CERTIFICATE_EMAIL: undefined,
  });
  expect(environment).toEqual({
    TABLE_NAME: 'videos',
    MAX_TASKS: '20',
    SPOT_TASK_SHARE: '0.8',
    SUBNETS: 'a,b',
    ALLOWED_ORIGINS: '',
    REGISTRATION: 'on',
    ALLOW_LOOPBACK_NODES: 'off',
  });
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  expect(readEnvironment('TABLE_NAME')).toBe('videos');
  expect(readEnvironment('MAX_TASKS')).toBe(20);
  expect(readEnvironment('SPOT_TASK_SHARE')).toBe(0.8);
  expect(readEnvironment('SUBNETS')).toEqual(['a', 'b']);
  expect(readEnvironment('ALLOWED_ORIGINS')).toEqual([]);
  expect(readEnvironment('REGISTRATION')).toBe(true);
  expect(readEnvironment('ALLOW_LOOPBACK_NODES')).toBe(false);
  expect(readEnvironment('CERTIFICATE_EMAIL')).toBeUndefined();
});

test.each([
  ['MAX_TASKS', undefined, 'The environment variable MAX_TASKS is not set.'],
  ['ALLOWED_ORIGINS', undefined, 'The environment variable ALLOWED_ORIGINS is not set.'],
  ['TABLE_NAME', '', 'The environment variable TABLE_NAME is not set.'],
  ['MAX_TASKS', 'many', 'The environment variable MAX_TASKS is not a number.'],
  ['REGISTRATION', 'true', 'The environment variable REGISTRATION is neither on nor off.'],
] as const)('%s as %j is an error', (name, value, message) => {
  vi.stubEnv(name, value);
  expect(() => readEnvironment(name)).toThrow(message);
});
