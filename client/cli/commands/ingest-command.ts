import { bodyOf } from '../../api.ts';
import type { components } from '../../api-types.ts';
import { shareOfIngest } from '../../progress.ts';
import { sleep } from '../../sleep.ts';
import { describedBy, textOption } from '../arguments/read-options.ts';
import type { CliRun } from '../cli-run.ts';
import { CommandError, exitCode, usageError } from '../exit-code.ts';
import { endsCommand } from '../explain-error.ts';
import { formatBytes } from '../output/text.ts';
import type { Words } from '../output/words.ts';
import { runParallel } from '../run-parallel.ts';
import { findStorage, isInStorage } from '../service/find-storage.ts';
import { findTemplate } from '../service/find-template.ts';
import { followAndReport } from './report-progress.ts';
import { createVideoReport, type Subject } from './video-report.ts';

type Ingest = components['schemas']['Ingest'];
type Storage = components['schemas']['Storage'];

/** Shared by all ingests that are waited for: a user may make 300 requests per minute. */
const pollMs = 1000;

/** `ingest URL…`, also with `s3://BUCKET/KEY`. @returns the exit code */
export async function ingestCommand(cliRun: CliRun): Promise<number> {
  const { operands, options, settings, client, reporter } = cliRun;
  const filename = textOption(options, 'filename');
  if (filename !== undefined && operands.length > 1) throw usageError('--filename is for one URL.');
  for (const url of operands) requireUrl(url);
  const description = describedBy(options);
  const template = await findTemplate(client.api, textOption(options, 'template') ?? settings.template);
  const report = createVideoReport(cliRun);
  const storages = operands.some(isInStorage)
    ? (await bodyOf(client.api.GET('/api/storages', { signal: cliRun.signal }))).data
    : [];
  const sources = operands.map((url) => sourceOf(url, storages, textOption(options, 'storage')));

  const start = async (url: string): Promise<string> => {
    const body = {
      ...sources[operands.indexOf(url)]!,
      ...(filename !== undefined && { filename }),
      metadata: { template: template.ulid, ...description },
    };
    const { data } = await bodyOf(client.api.POST('/api/ingests', { body, signal: cliRun.signal }));
    report.accepted(subjectOf(url), data.ulid);
    return data.ulid;
  };
  const follow = async (url: string, ulid: string, signal: AbortSignal): Promise<boolean> => {
    try {
      await waitForIngest({ ...cliRun, signal }, url, ulid, pollMs * operands.length);
      return await followAndReport({ ...cliRun, signal }, subjectOf(url), ulid);
    } finally {
      reporter.bars.remove(ulid);
    }
  };
  const results = await runParallel(
    operands,
    { limit: operands.length, signal: cliRun.signal },
    async (url, signal): Promise<boolean> => {
      let ulid: string | null = null;
      try {
        // Not stopped by the error of another one: the service may have accepted it already.
        ulid = await start(url);
        return !options.wait || (await follow(url, ulid, signal));
      } catch (error) {
        if (endsCommand(error)) throw error;
        report.refused(subjectOf(url), ulid, error);
        return false;
      }
    },
  );
  return results.every(Boolean) ? exitCode.ok : exitCode.failed;
}

async function waitForIngest(cliRun: CliRun, url: string, ulid: string, everyMs: number): Promise<void> {
  const { reporter, signal, client, words } = cliRun;
  for (;;) {
    const { data } = await bodyOf(client.api.GET('/api/ingests/{ulid}', { params: { path: { ulid } }, signal }));
    if (data.status === 'stored') return;
    if (data.status === 'failed') throw new CommandError(exitCode.failed, data.error ?? 'The service gave no reason.');
    reporter.bars.set(ulid, { label: nameOf(url), ...progressOf(data, words) });
    await sleep(everyMs, signal);
  }
}

const progressOf = (ingest: Ingest, words: Words): { share: number; note: string } => ({
  share: shareOfIngest(ingest) ?? 0,
  note: ingest.status === 'pending' ? words.waitsForWorker : words.fetching(formatBytes(ingest.bytes_received)),
});

type Source = { url: string } | { storage: string; key: string };

const sourceOf = (url: string, storages: readonly Storage[], named: string | undefined): Source =>
  isInStorage(url) ? findStorage(url, storages, named) : { url };

function requireUrl(text: string): void {
  if (isInStorage(text)) {
    if (!/^s3:\/\/[^/]+\/./s.test(text)) throw usageError(`'${text}' is not of the form s3://BUCKET/KEY.`);
    if (text.endsWith('/')) {
      throw usageError(`'${text}' is a folder. All files in it: open-video-service batches add '${text}'`);
    }
    return;
  }
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return;
  throw usageError(`'${text}' is not a URL with http, https or s3. A local file: open-video-service upload '${text}'`);
}

const subjectOf = (url: string): Subject => ({ label: nameOf(url), fields: { url } });

/** For messages: without the query, which may have a signature. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
