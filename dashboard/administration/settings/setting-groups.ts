import type { components } from '../../../client/api-types.ts';

export type Setting = components['schemas']['Setting'];

/** The groups of the page, each with the settings that it shows, by name or by the beginning of their names. */
const groups = {
  access: ['registration', 'allowedOrigins', 'allowLoopbackTargets', 'domain', 'requestsPerSecond', 'requestBurst'],
  delivery: ['delivery', 'edge.', 'countViews'],
  processing: [
    'maxRunningExecutions',
    'maxChunksAtOnce',
    'jobTimeoutSeconds',
    'executionTimeoutSeconds',
    'ingests.',
    'storeWebhook',
    'webhooks.',
    'transcription',
    'transcriptSearch',
  ],
  workers: ['workers.', 'earlyWorker.'],
  nodes: ['nodes.'],
  retention: ['keepData', 'workFileDays', 'noncurrentVersionDays', 'accessLogDays', 'logRetentionDays'],
} as const;

export type GroupName = keyof typeof groups | 'other';

/** The settings by group, in the order of the page. A setting of no group is in the last. */
export function groupsOf(settings: readonly Setting[]): { group: GroupName; settings: Setting[] }[] {
  const nameOf = (setting: Setting): GroupName =>
    (Object.keys(groups) as (keyof typeof groups)[]).find((group) => isAmong(groups[group], setting)) ?? 'other';
  const names: GroupName[] = [...(Object.keys(groups) as (keyof typeof groups)[]), 'other'];
  return names
    .map((group) => ({ group, settings: settings.filter((setting) => nameOf(setting) === group) }))
    .filter(({ settings }) => settings.length > 0);
}

/** What only AWS acts on, by name or by the beginning of names: `npm start` keeps its values without using them. */
const ofAws = [
  'domain',
  'edge.',
  'workers.spotTaskShare',
  'workers.architecture',
  'workers.zones',
  'workers.cpuUnits',
  'workers.memoryMib',
  'workers.scratchGib',
  'workers.image',
  'earlyWorker.',
  'nodes.fixedEgress',
  'keepData',
  'noncurrentVersionDays',
  'logRetentionDays',
  'terminationProtection',
  'fixedNames',
  'tracing',
  'alarmEmail',
  'monthlyBudget',
];

/** The settings that have an effect on the stage. */
export function inForce(stage: string, settings: readonly Setting[]): Setting[] {
  const currentOf = (name: string) => settings.find((setting) => setting.name === name)?.value;
  const unused = [
    ...(stage === 'local' ? ofAws : ['allowLoopbackTargets']),
    ...(currentOf('delivery') === 'proxies' ? ['edge.'] : []),
    ...(currentOf('earlyWorker.enabled') === false ? ['earlyWorker.maxConcurrency'] : []),
  ];
  return settings.filter((setting) => !isAmong(unused, setting));
}

const isAmong = (entries: readonly string[], { name }: Setting): boolean =>
  entries.some((entry) => (entry.endsWith('.') ? name.startsWith(entry) : name === entry));

/** The operator, or the start on one machine, set it to something else than the default. */
export const isChanged = ({ value, default: standard }: Setting): boolean =>
  JSON.stringify(value) !== JSON.stringify(standard);

/** Where the operator changes a setting of the stage `local`: the environment variable of `npm start`. */
const localVariables: Readonly<Record<string, string>> = {
  registration: 'REGISTRATION',
  countViews: 'COUNT_VIEWS',
  transcriptSearch: 'TRANSCRIPT_SEARCH',
  allowedOrigins: 'ALLOWED_ORIGINS',
  allowLoopbackTargets: 'ALLOW_LOOPBACK_TARGETS',
  logLevel: 'LOG_LEVEL',
  'workers.maxTasks': 'WORKERS',
  'nodes.workerImage': 'WORKER_IMAGE',
  'nodes.proxyImage': 'PROXY_IMAGE',
  'nodes.acmeDirectory': 'ACME_DIRECTORY',
};

/** The name under which the operator changes a setting; undefined for one that is fixed on one machine. */
export const changedAs = (stage: string, { name }: Pick<Setting, 'name'>): string | undefined =>
  stage === 'local' ? localVariables[name] : name;

export type SettingUnit = 'bytes' | 'seconds' | 'milliseconds' | 'days' | 'mebibytes' | 'gibibytes' | 'number';

/** What a number of a setting or limit is, by the end of its name. */
export function unitOf(name: string): SettingUnit {
  if (/bytes$/i.test(name)) return 'bytes';
  if (/seconds(PerTask)?$/i.test(name)) return 'seconds';
  if (name.endsWith('Ms')) return 'milliseconds';
  if (/days$/i.test(name)) return 'days';
  if (name.endsWith('Mib')) return 'mebibytes';
  return name.endsWith('Gib') ? 'gibibytes' : 'number';
}
