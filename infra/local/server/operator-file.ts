import { rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from '../../embedded-aws/iam/principals.ts';

export type OperatorAccess = { region: string; controlUrl: string; storeUrl: string; credentials: Credentials };

const profile = 'video-service';
const fileIn = (dataFolder: string): string => join(dataFolder, 'aws-config');

/**
 * Writes a configuration file for the AWS CLI and SDKs, readable by the owner of the data folder only: the one way in for the commands of an operator
 * and for tests.
 */
export async function writeOperatorFile(dataFolder: string, access: OperatorAccess): Promise<void> {
  const { region, controlUrl, storeUrl, credentials } = access;
  const text = `[profile ${profile}]
region = ${region}
aws_access_key_id = ${credentials.accessKeyId}
aws_secret_access_key = ${credentials.secretAccessKey}
endpoint_url = ${controlUrl}
services = ${profile}

[services ${profile}]
s3 =
  endpoint_url = ${storeUrl}
`;
  const file = fileIn(dataFolder);
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** At once, since the process may have to end soon. */
export function removeOperatorFile(dataFolder: string): void {
  rmSync(fileIn(dataFolder), { force: true });
}
