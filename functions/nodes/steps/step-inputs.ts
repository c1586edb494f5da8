import { randomBytes } from 'node:crypto';
import { readEnvironment } from '../../../shared/environment.ts';
import { sha256 } from '../../common/secret.ts';
import type { Node } from '../../table/nodes/node-table.ts';
import { imagesOf } from './node-image.ts';
import type { StepName } from './node-steps.ts';
import { proxyConfiguration } from './proxy-configuration.ts';
import type { StepValues } from './step-values.ts';

/**
 * The inputs of a step, and the hash of the new token among them. The hash becomes valid when the step has succeeded.
 */
export type StepInputs = { values: StepValues; tokenHash?: string };

/** Created for each run of a step: secrets are not stored, so a second run gets new ones. */
export async function stepValues(node: Node, step: StepName): Promise<StepInputs> {
  switch (step) {
    case 'check':
      return { values: { API_URL: readEnvironment('API_URL') } };
    case 'image':
    case 'start':
      return { values: await imagesOf(node.type) };
    case 'certificate':
      return { values: { ...(await imagesOf(node.type)), ...certificateValues() } };
    case 'configure':
      return node.type === 'worker' ? workerConfiguration(node.ulid) : { values: await proxyConfiguration(node) };
    default:
      return { values: {} };
  }
}

function workerConfiguration(ulid: string): StepInputs {
  const secret = randomBytes(32).toString('base64url');
  return {
    values: { API_URL: readEnvironment('API_URL'), WORKER_TOKEN: `${ulid}.${secret}` },
    tokenHash: sha256(secret),
  };
}

function certificateValues(): StepValues {
  const [email, directory] = [readEnvironment('CERTIFICATE_EMAIL'), readEnvironment('ACME_DIRECTORY')];
  return { ...(email && { CERTIFICATE_EMAIL: email }), ...(directory && { ACME_DIRECTORY: directory }) };
}
