import { isIP } from 'node:net';
import { nowSeconds } from '../../../shared/clock.ts';
import { parseUlid } from '../../common/ids.ts';
import { StepFailed } from '../ssh/node-errors.ts';
import type { NodeTarget } from '../ssh/node-target.ts';
import type { StepName } from './node-steps.ts';

/**
 * The inputs of a step, beside the node. Names in capitals are settings. All other names are file names of a proxy,
 * with the files' content:
 * - `API_URL`: address of the API, without a trailing slash
 * - `WORKER_TOKEN`: the worker's `<node>.<secret>`
 * - `IMAGE_X86_64` and `IMAGE_ARM64` with their digests; both may be one image for both architectures
 * - `REGISTRY`, `REGISTRY_USER` and `REGISTRY_PASSWORD` if the registry of the images requires a login
 * - `CERTIFICATES`: private authorities that the node trusts, as PEM
 * - `SERVICE_SOCKETS`: the folder with the sockets of a service on the same machine, for a proxy
 * - `SAMPLE_PATH`: signed path of a file that a proxy must deliver
 * - `CERTIFICATE_EMAIL` and `ACME_DIRECTORY`, unless Let's Encrypt is used without an email address
 *
 * Each step uses only the values that it needs.
 */
export type StepValues = Readonly<Record<string, string>>;

type Needs = { required?: readonly string[]; optional?: readonly string[]; files?: true };

const images = ['IMAGE_X86_64', 'IMAGE_ARM64'];

const needsOfSteps: Partial<Record<StepName, Partial<Record<NodeTarget['type'], Needs>>>> = {
  check: {
    worker: { required: ['API_URL'], optional: ['CERTIFICATES'] },
    proxy: { required: ['API_URL'], optional: ['CERTIFICATES'] },
  },
  image: {
    worker: { required: images, optional: ['REGISTRY', 'REGISTRY_USER', 'REGISTRY_PASSWORD'] },
    proxy: { required: images, optional: ['REGISTRY', 'REGISTRY_USER', 'REGISTRY_PASSWORD'] },
  },
  configure: {
    worker: { required: ['API_URL', 'WORKER_TOKEN'], optional: ['CERTIFICATES'] },
    proxy: { files: true },
  },
  certificate: { proxy: { required: images, optional: ['CERTIFICATE_EMAIL', 'ACME_DIRECTORY', 'CERTIFICATES'] } },
  start: { worker: { required: images }, proxy: { required: images, optional: ['SERVICE_SOCKETS'] } },
  verify: { proxy: { required: ['SAMPLE_PATH'] } },
};

const url = /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/[A-Za-z0-9._~/-]*)?$/;
const hostName = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const registry = '[a-z0-9.-]+(:\\d{1,5})?';
const image = new RegExp(`^${registry}(/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}$`);

/** The scripts check the same formats again. */
const formats: Record<string, RegExp> = {
  API_URL: url,
  WORKER_TOKEN: /^[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{1,512}$/,
  IMAGE_X86_64: image,
  IMAGE_ARM64: image,
  REGISTRY: new RegExp(`^${registry}$`),
  REGISTRY_USER: /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/,
  REGISTRY_PASSWORD: /^[\x21-\x7e]{1,8192}$/,
  CERTIFICATES: /^(?=.{1,65536}$)[A-Za-z0-9+/=\s-]+$/s,
  SERVICE_SOCKETS: /^(\/[A-Za-z0-9._-]+)+$/,
  SAMPLE_PATH: /^\/s\/[A-Za-z0-9._/-]{1,512}$/,
  CERTIFICATE_EMAIL: /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}@[A-Za-z0-9.-]{1,253}$/,
  ACME_DIRECTORY: url,
};
const fileName = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const maxFileBytes = 256 * 1024;

const secretNames = new Set(['WORKER_TOKEN', 'REGISTRY_PASSWORD', 'SAMPLE_PATH']);

/**
 * The validated values that are sent to the server, only those that the step needs.
 * @throws StepFailed VALUES_INVALID, with the value's name and not its content
 */
export function valuesOf(target: NodeTarget, step: StepName, given: StepValues): Record<string, string> {
  checkTarget(target);
  const { required = [], optional = [], files } = needsOfSteps[step]?.[target.type] ?? {};
  const sent: Record<string, string> = {};
  for (const name of required) sent[name] = given[name] ?? refuse(name);
  for (const name of optional) if (given[name] !== undefined) sent[name] = given[name];
  for (const [name, value] of Object.entries(sent)) if (!formats[name]?.test(value)) refuse(name);
  if (files) Object.assign(sent, filesOf(given));
  return {
    ...sent,
    NODE_ULID: target.ulid,
    NODE_TYPE: target.type,
    WORKERS: String(target.workers),
    CDN_MODE: String(target.cdnMode),
    ...(target.hostname !== null && { NODE_HOSTNAME: target.hostname }),
    ...(step === 'check' && { NOW: String(nowSeconds()) }),
  };
}

/** Strings that must not appear in logs. */
export const secretsOf = (target: NodeTarget, given: StepValues): string[] => [
  ...target.privateKey.split('\n').filter((line) => line.length >= 16 && !line.startsWith('-----')),
  ...Object.entries(given).flatMap(([name, value]) => (secretNames.has(name) && value !== '' ? [value] : [])),
];

/** Validates the record again, although it was validated when it was created: here its values reach a root shell. */
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
    if (!fileName.test(name) || Buffer.byteLength(content) > maxFileBytes) refuse('files');
  return Object.fromEntries(files);
}

function refuse(name: string): never {
  throw new StepFailed('VALUES_INVALID', `The value of ${name} is missing or invalid.`);
}
