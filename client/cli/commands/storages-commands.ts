import { bodyOf } from '../../api.ts';
import { textOption } from '../arguments/read-options.ts';
import type { CliRun } from '../cli-run.ts';
import { exitCode, usageError } from '../exit-code.ts';
import { printable, table } from '../output/text.ts';

const secretVariable = 'STORAGE_SECRET_ACCESS_KEY';

/** `storages`. @returns the exit code, as all commands here */
export async function storagesCommand({ client, reporter, signal, words }: CliRun): Promise<number> {
  const { data } = await bodyOf(client.api.GET('/api/storages', { signal }));
  const rows = data.map(({ ulid, name, bucket, prefix, endpoint, region }) => [
    ulid,
    printable(`s3://${bucket}/${prefix}`),
    printable(endpoint ?? region),
    printable(name),
  ]);
  reporter.result({ data }, table([['ULID', 'BUCKET', 'STORE', words.columns.name], ...rows]));
  return exitCode.ok;
}

/** `storages add NAME`. The secret is not an argument, which other processes of the machine could read. */
export async function addStorageCommand({
  operands,
  options,
  client,
  environment,
  reporter,
  signal,
}: CliRun): Promise<number> {
  const bucket = textOption(options, 'bucket');
  if (bucket === undefined) throw usageError('--bucket is missing.');
  const accessKeyId = textOption(options, 'access-key-id');
  const secret = environment[secretVariable];
  if (accessKeyId !== undefined && !secret) throw usageError(`Set ${secretVariable} to the secret of the access key.`);
  const body = {
    name: operands[0]!,
    bucket,
    region: textOption(options, 'region') ?? 'auto',
    endpoint: textOption(options, 'endpoint') ?? null,
    prefix: textOption(options, 'prefix') ?? null,
    access_key_id: accessKeyId ?? null,
    secret_access_key: accessKeyId === undefined ? null : (secret ?? null),
    role_arn: textOption(options, 'role-arn') ?? null,
  };
  const { data } = await bodyOf(client.api.POST('/api/storages', { body, signal }));
  const trust =
    data.external_id === null
      ? []
      : [`The role has to trust the account ${data.trusted_account} with the external id ${data.external_id}.`];
  reporter.result(data, [`The storage has the ULID ${data.ulid}.`, ...trust]);
  return exitCode.ok;
}

/** `storages test ULID` */
export async function testStorageCommand({ operands, client, reporter, signal }: CliRun): Promise<number> {
  const params = { path: { ulid: operands[0]! } };
  const { data } = await bodyOf(client.api.POST('/api/storages/{ulid}/test', { params, signal }));
  reporter.result(
    data,
    data.steps.map(({ step, ok, message }) => (ok ? `${step}: ok` : `${step}: ${message ?? ''}`)),
  );
  return data.ok ? exitCode.ok : exitCode.failed;
}

/** `storages delete ULID` */
export async function deleteStorageCommand({ operands, client, reporter, signal }: CliRun): Promise<number> {
  const ulid = operands[0]!;
  await client.api.DELETE('/api/storages/{ulid}', { params: { path: { ulid } }, signal });
  reporter.result({ ulid }, [`${printable(ulid)}: deleted`]);
  return exitCode.ok;
}
