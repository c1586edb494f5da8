import { bodyOf } from '../../api.ts';
import type { components } from '../../api-types.ts';
import { shareOfBatch } from '../../progress.ts';
import { sleep } from '../../sleep.ts';
import { describedBy, integerOption, textOption } from '../arguments/read-options.ts';
import type { CliRun } from '../cli-run.ts';
import { CommandError, exitCode, usageError } from '../exit-code.ts';
import { printable, table } from '../output/text.ts';
import { findStorage, isInStorage } from '../service/find-storage.ts';
import { findTemplate } from '../service/find-template.ts';

type Batch = components['schemas']['IngestBatch'];

const pollMs = 1000;
const limits = { min: 1, max: 1_000_000, otherwise: 1000 };

/** `batches`. @returns the exit code, as all commands here */
export async function batchesCommand({ client, reporter, signal, words }: CliRun): Promise<number> {
  const { data } = await bodyOf(client.api.GET('/api/ingests/batch', { signal }));
  const rows = data.map(({ ulid, status, created, stored, failed, prefix }) => [
    ulid,
    status,
    String(created),
    String(stored),
    String(failed),
    printable(prefix),
  ]);
  reporter.result({ data }, table([['ULID', words.columns.status, 'CREATED', 'STORED', 'FAILED', 'PREFIX'], ...rows]));
  return exitCode.ok;
}

/** `batches add s3://BUCKET/PREFIX` */
export async function addBatchCommand(cliRun: CliRun): Promise<number> {
  const { operands, options, settings, client, reporter, signal } = cliRun;
  const url = operands[0]!;
  if (!isInStorage(url)) throw usageError(`'${url}' is not of the form s3://BUCKET/PREFIX.`);
  const limit = integerOption(options, 'limit', limits);
  const description = describedBy(options);
  const template = await findTemplate(client.api, textOption(options, 'template') ?? settings.template);
  const { data: storages } = await bodyOf(client.api.GET('/api/storages', { signal }));
  const { storage, key: prefix } = findStorage(url, storages, textOption(options, 'storage'));
  const metadata = { template: template.ulid, ...description };
  const body = { storage, ...(prefix !== '' && { prefix }), metadata, limit };
  const { data } = await bodyOf(client.api.POST('/api/ingests/batch', { body, signal }));
  if (!options.wait) {
    reporter.result(data, [`The batch has the ULID ${data.ulid}.`]);
    return exitCode.ok;
  }
  const ended = await waitForBatch(cliRun, data);
  reporter.result(ended, [`${ended.ulid}: ${countsOf(ended)}`]);
  return ended.failed === 0 ? exitCode.ok : exitCode.failed;
}

const countsOf = ({ stored, failed, skipped }: Batch): string =>
  `${stored} stored, ${failed} failed, ${skipped} skipped`;

async function waitForBatch({ client, reporter, signal }: CliRun, begun: Batch): Promise<Batch> {
  const { ulid } = begun;
  const params = { path: { ulid } };
  try {
    for (;;) {
      const { data } = await bodyOf(client.api.GET('/api/ingests/batch/{ulid}', { params, signal }));
      const { status, error } = data;
      if (status === 'completed') return data;
      if (status === 'failed') throw new CommandError(exitCode.failed, error ?? 'The service gave no reason.');
      if (status === 'cancelled')
        throw new CommandError(exitCode.failed, `The batch was cancelled: ${countsOf(data)}.`);
      const share = shareOfBatch(data) ?? 0;
      reporter.bars.set(ulid, { label: printable(data.prefix), share, note: countsOf(data) });
      await sleep(pollMs, signal);
    }
  } finally {
    reporter.bars.remove(ulid);
  }
}

/** `batches stop ULID` */
export async function stopBatchCommand({ operands, client, reporter, signal }: CliRun): Promise<number> {
  const ulid = operands[0]!;
  await client.api.DELETE('/api/ingests/batch/{ulid}', { params: { path: { ulid } }, signal });
  reporter.result({ ulid }, [`${printable(ulid)}: no more files are fetched`]);
  return exitCode.ok;
}
