import { expect, test } from 'vitest';
import {
  changedAs,
  groupsOf,
  inForce,
  isChanged,
  unitOf,
} from '../../../../dashboard/administration/settings/setting-groups.ts';
import { en } from '../../../../dashboard/messages/en.ts';
import { settingsOf } from '../../../../infra/settings.ts';
import { formatStageSettings } from '../../../../infra/stage-settings.ts';
import type { StageSettings } from '../../../../shared/stage-settings.ts';

const { values }: StageSettings = JSON.parse(formatStageSettings(settingsOf('prod')));
const settings = Object.entries(values).map(([name, value]) => ({
  name,
  value: value as string,
  default: value as string,
}));

test('each setting of a stage is explained, and is in one group', () => {
  const { names, sentences } = en.administration.settings;
  expect(Object.keys(sentences).toSorted()).toEqual(Object.keys(values).toSorted());
  expect(Object.keys(names).toSorted()).toEqual(Object.keys(values).toSorted());
  const grouped = groupsOf(settings);
  expect(grouped.flatMap(({ settings }) => settings.map(({ name }) => name)).toSorted()).toEqual(
    Object.keys(values).toSorted(),
  );
  expect(
    grouped
      .at(-1)
      ?.settings.map(({ name }) => name)
      .toSorted(),
  ).toEqual(['alarmEmail', 'fixedNames', 'logLevel', 'monthlyBudget', 'terminationProtection', 'tracing']);
});

test('settings without an effect on the stage are not shown', () => {
  const namesOn = (stage: string, changes: Record<string, string | boolean> = {}) =>
    inForce(
      stage,
      settings.map((setting) => ({ ...setting, value: changes[setting.name] ?? setting.value })),
    ).map(({ name }) => name);
  const local = namesOn('local');
  expect(local).toEqual(expect.arrayContaining(['registration', 'workers.maxTasks', 'allowLoopbackTargets']));
  for (const name of ['workers.architecture', 'workers.spotTaskShare', 'edge.priceClass', 'alarmEmail', 'keepData']) {
    expect(local).not.toContain(name);
    expect(namesOn('prod')).toContain(name);
  }
  expect(namesOn('prod')).not.toContain('allowLoopbackTargets');
  expect(namesOn('prod', { delivery: 'proxies' })).not.toContain('edge.priceClass');
  expect(namesOn('prod', { 'earlyWorker.enabled': false })).not.toContain('earlyWorker.maxConcurrency');
  expect(namesOn('prod', { 'earlyWorker.enabled': false })).toContain('earlyWorker.enabled');
});

test('a setting that is not known yet is shown under its name', () => {
  const one = { name: 'somethingNew', value: 1, default: 1 };
  expect(groupsOf([one])).toEqual([{ group: 'other', settings: [one] }]);
});

test('on one machine settings are changed by environment variables, elsewhere by their names', () => {
  expect(changedAs('local', { name: 'registration' })).toBe('REGISTRATION');
  expect(changedAs('local', { name: 'keepData' })).toBeUndefined();
  expect(changedAs('prod', { name: 'keepData' })).toBe('keepData');
  expect(isChanged({ name: 'allowedOrigins', value: [], default: [] })).toBe(false);
  expect(isChanged({ name: 'registration', value: true, default: false })).toBe(true);
});

test.each([
  ['max_upload_bytes', 'bytes'],
  ['jobTimeoutSeconds', 'seconds'],
  ['workers.secondsPerTask', 'seconds'],
  ['max_link_seconds', 'seconds'],
  ['workers.idleSyncMs', 'milliseconds'],
  ['workFileDays', 'days'],
  ['workers.memoryMib', 'mebibytes'],
  ['workers.scratchGib', 'gibibytes'],
  ['requestsPerSecond', 'number'],
] as const)('%s is a number of %s', (name, unit) => expect(unitOf(name)).toBe(unit));
