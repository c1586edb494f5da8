import { expect, test } from 'vitest';
import { changedAs } from '../../../dashboard/administration/settings/setting-groups.ts';
import { localSettings } from '../../../local/server/local-settings.ts';

const settingsFrom = (environment: Record<string, string>, logLevel: 'ERROR' | 'SILENT' = 'ERROR') =>
  JSON.parse(localSettings({ workers: 3, logLevel, environment }));

test('the settings of one machine are those of this start', () => {
  const workerImage = `registry.example.com/worker@sha256:${'a'.repeat(64)}`;
  const { values, defaults } = settingsFrom({
    REGISTRATION: 'on',
    COUNT_VIEWS: 'off',
    TRANSCRIPT_SEARCH: 'on',
    ALLOW_LOOPBACK_TARGETS: 'on',
    ALLOWED_ORIGINS: 'https://video.example.com,https://app.example.com',
    WORKER_IMAGE_X86_64: workerImage,
  });
  expect(values).toMatchObject({
    registration: true,
    countViews: false,
    transcriptSearch: true,
    allowLoopbackTargets: true,
    allowedOrigins: ['https://video.example.com', 'https://app.example.com'],
    logLevel: 'ERROR',
    'workers.maxTasks': 3,
    'nodes.workerImage': workerImage,
    'nodes.allowLoopback': true,
  });
  expect(defaults).toMatchObject({ registration: false, 'workers.maxTasks': 20 });
});

test('what the start leaves out has the value of the stage local', () => {
  const { values, defaults } = settingsFrom({}, 'SILENT');
  expect(values).toMatchObject({ registration: false, countViews: true, logLevel: 'INFO', 'nodes.workerImage': null });
  expect(Object.keys(defaults)).toEqual(['workers.maxTasks']);
});

test('the dashboard names the variable of each setting that this start reads from its environment', () => {
  const image = `registry.example.com/worker@sha256:${'a'.repeat(64)}`;
  const { defaults } = settingsFrom({
    REGISTRATION: 'on',
    COUNT_VIEWS: 'off',
    TRANSCRIPT_SEARCH: 'on',
    ALLOWED_ORIGINS: 'https://video.example.com',
    ALLOW_LOOPBACK_TARGETS: 'on',
    WORKER_IMAGE_X86_64: image,
    PROXY_IMAGE_X86_64: image,
    ACME_DIRECTORY: 'https://ca.example.com/directory',
  });
  const changed = Object.keys(defaults);
  expect(changed.length).toBeGreaterThanOrEqual(9);
  for (const name of changed) expect(changedAs('local', { name }), name).toMatch(/^[A-Z_]+$/);
});
