import { randomBytes } from 'node:crypto';
import { readEnvironment } from '../../../shared/environment.ts';
import { sha256 } from '../../common/secret.ts';
import type { Node } from '../../table/nodes/node-table.ts';
import { imagesOf } from './node-image.ts';
import type { StepName } from './node-steps.ts';
import { proxyConfiguration } from './proxy-configuration.ts';
import { writeSample } from './sample-file.ts';
import type { StepValues } from './step-values.ts';

/**
 * The inputs of a step, and the hash of the new token among them. The hash becomes valid when the step has succeeded.
 */
export type StepInputs = {
  values: StepValues;
  tokenHash?: string;
  /** of an object that is deleted after the step */
  sampleKey?: string;
};

/** Created for each run of a step: secrets are not stored, so a second run gets new ones. */
export async function stepValues(node: Node, step: StepName): Promise<StepInputs> {
  switch (step) {
    case 'check':
      return { values: { API_URL: readEnvironment('API_URL'), ...authorities() } };
    case 'image':
      return { values: await imagesOf(node.type) };
    case 'start':
      return { values: { ...(await imagesOf(node.type)), ...given('SERVICE_SOCKETS') } };
    case 'certificate':
      return { values: { ...(await imagesOf(node.type)), ...certificateValues() } };
    case 'verify': {
      if (node.type === 'worker') return { values: {} };
      const { key, path } = await writeSample(node.ulid);
      return { values: { SAMPLE_PATH: path }, sampleKey: key };
    }
    case 'configure':
      return node.type === 'worker' ? workerConfiguration(node.ulid) : { values: await proxyConfiguration(node) };
    default:
      return { values: {} };
  }
}

function workerConfiguration(ulid: string): StepInputs {
  const secret = randomBytes(32).toString('base64url');
  return {
    values: { API_URL: readEnvironment('API_URL'), WORKER_TOKEN: `${ulid}.${secret}`, ...authorities() },
    tokenHash: sha256(secret),
  };
}

const certificateValues = (): StepValues => ({
  ...given('CERTIFICATE_EMAIL'),
  ...given('ACME_DIRECTORY'),
  ...authorities(),
});

function authorities(): StepValues {
  const text = readEnvironment('NODE_CERTIFICATES');
  return text === undefined ? {} : { CERTIFICATES: text };
}

/** An optional value that is named like its variable. */
function given(name: 'CERTIFICATE_EMAIL' | 'ACME_DIRECTORY' | 'SERVICE_SOCKETS'): StepValues {
  const text = readEnvironment(name);
  return text === undefined ? {} : { [name]: text };
}
