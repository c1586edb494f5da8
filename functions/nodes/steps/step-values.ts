import { isIP } from 'node:net';
import { nowSeconds } from '../../../shared/clock.ts';
import { parseUlid } from '../../common/ids.ts';
import { StepFailed } from '../ssh/node-errors.ts';
import type { NodeTarget } from '../ssh/node-target.ts';
import type { StepName } from './node-steps.ts';

/**
 * What a caller tells a step beside the node itself. Names in capitals are settings, all others are the names of a proxy's files with their content:
 * - `API_URL` where a node finds the API, without a slash at its end
 * - `WORKER_TOKEN` the worker's `<node>.<secret>`
 * - `IMAGE` with its digest; `REGISTRY`, `REGISTRY_USER` and `REGISTRY_PASSWORD` where the registry wants a login
 * - `CERTIFICATE_EMAIL` and `ACME_DIRECTORY` where the certificate authority is not to be Let's Encrypt without an address
 * Each step takes what it needs, so that all may be given to any.
 */
export type StepValues = Readonly<Record<string, string>>;

type Wanted = { required?: readonly string[]; optional?: readonly string[]; files?: true };

const wanted: Partial<Record<StepName, Partial<Record<NodeTarget['type'], Wanted>>>> = {
  check: { worker: { required: ['API_URL'] }, proxy: { required: ['API_URL'] } },
  image: {
    worker: { required: ['IMAGE'], optional: ['REGISTRY', 'REGISTRY_USER', 'REGISTRY_PASSWORD'] },
    proxy: { required: ['IMAGE'], optional: ['REGISTRY', 'REGISTRY_USER', 'REGISTRY_PASSWORD'] },
  },
  configure: { worker: { required: ['API_URL', 'WORKER_TOKEN'] }, proxy: { files: true } },
  certificate: { proxy: { required: ['IMAGE'], optional: ['CERTIFICATE_EMAIL', 'ACME_DIRECTORY'] } },
  start: { worker: { required: ['IMAGE'] }, proxy: { required: ['IMAGE'] } },
};

const url = /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/[A-Za-z0-9._~/-]*)?$/;
const hostName = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const registry = '[a-z0-9.-]+(:\\d{1,5})?';

/** The scripts hold the values to the same forms again. */
const formats: Record<string, RegExp> = {
  API_URL: url,
  WORKER_TOKEN: /^[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{1,512}$/,
  IMAGE: new RegExp(`^${registry}(/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}$`),
  REGISTRY: new RegExp(`^${registry}$`),
  REGISTRY_USER: /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/,
  REGISTRY_PASSWORD: /^[\x21-\x7e]{1,8192}$/,
  CERTIFICATE_EMAIL: /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}@[A-Za-z0-9.-]{1,253}$/,
  ACME_DIRECTORY: url,
};
const fileName = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const largestFileBytes = 256 * 1024;

const secretNames = new Set(['WORKER_TOKEN', 'REGISTRY_PASSWORD']);

/**
 * What is sent to the server for a step: by name, all held to their forms, nothing that the step has no use for.
 * @throws StepFailed VALUES_INVALID, which names the value and never shows it
 */
export function valuesOf(target: NodeTarget, step: StepName, given: StepValues): Record<string, string> {
  checkTarget(target);
  const { required = [], optional = [], files } = wanted[step]?.[target.type] ?? {};
  const taken: Record<string, string> = {};
  for (const name of required) taken[name] = given[name] ?? refuse(name);
  for (const name of optional) if (given[name] !== undefined) taken[name] = given[name];
  for (const [name, value] of Object.entries(taken)) if (!formats[name]?.test(value)) refuse(name);
  if (files) Object.assign(taken, filesOf(given));
  return {
    ...taken,
    NODE_ULID: target.ulid,
    NODE_TYPE: target.type,
    WORKERS: String(target.workers),
    CDN_MODE: String(target.cdnMode),
    ...(target.hostname !== null && { NODE_HOSTNAME: target.hostname }),
    ...(step === 'check' && { NOW: String(nowSeconds()) }),
  };
}

/** Texts that no log may show. */
export const secretsOf = (target: NodeTarget, given: StepValues): string[] => [
  ...target.privateKey.split('\n').filter((line) => line.length >= 16 && !line.startsWith('-----')),
  ...Object.entries(given).flatMap(([name, value]) => (secretNames.has(name) && value !== '' ? [value] : [])),
];

/** The record was validated when it was made. What came into it since would here become a command on a server. */
function checkTarget({ ulid, type, address, port, user, hostname, workers }: NodeTarget): void {
  if (parseUlid(ulid) !== ulid) refuse('ulid');
  if (type !== 'worker' && type !== 'proxy') refuse('type');
  if (isIP(address) === 0) refuse('ip_address');
  if (!(Number.isInteger(port) && port >= 1 && port <= 65_535)) refuse('port');
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(user)) refuse('user');
  if (hostname === null ? type === 'proxy' : !hostName.test(hostname)) refuse('hostname');
  if (!(Number.isInteger(workers) && workers >= 1 && workers <= (type === 'worker' ? 20 : 1))) refuse('workers');
}

function filesOf(given: StepValues): StepValues {
  const files = Object.entries(given).filter(([name]) => !/^[A-Z][A-Z0-9_]*$/.test(name));
  if (files.length === 0) refuse('files');
  for (const [name, content] of files)
    if (!fileName.test(name) || Buffer.byteLength(content) > largestFileBytes) refuse('files');
  return Object.fromEntries(files);
}

function refuse(name: string): never {
  throw new StepFailed('VALUES_INVALID', `The value of ${name} is missing or has not the form it must have.`);
}
