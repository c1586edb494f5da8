import { rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from 'embedded-aws';

export type OperatorAccess = { region: string; controlUrl: string; storeUrl: string; credentials: Credentials };

const profile = 'video-service';
const fileIn = (dataFolder: string): string => join(dataFolder, 'aws-config');

/**
 * Writes a configuration file for the AWS CLI and SDKs, which only the owner of the data folder can read. Operators and
 * tests use it to access the service.
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

/** Synchronous, because the process may exit soon. */
export function removeOperatorFile(dataFolder: string): void {
  rmSync(fileIn(dataFolder), { force: true });
}

/** The access that the file gives; undefined when there is no such file. */
export async function readOperatorFile(dataFolder: string): Promise<OperatorAccess | undefined> {
  const text = await readFile(fileIn(dataFolder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const values = (name: string): string[] =>
    [...text.matchAll(new RegExp(`^ *${name} = (.+)$`, 'gm'))].map(([, value = '']) => value);
  const [region = ''] = values('region');
  const [accessKeyId = ''] = values('aws_access_key_id');
  const [secretAccessKey = ''] = values('aws_secret_access_key');
  const [controlUrl = '', storeUrl = ''] = values('endpoint_url');
  return { region, controlUrl, storeUrl, credentials: { accessKeyId, secretAccessKey } };
}
