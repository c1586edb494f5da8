import { basename } from 'node:path';
import { bodyOf } from '../../api.ts';
import { ApiError } from '../../api-error.ts';
import type { components } from '../../api-types.ts';
import { failedOutputs, reasonOf } from '../../failure-reasons.ts';
import { decisionText, reasonText } from '../../texts/describe-codes.ts';
import { readOperand } from '../arguments/read-operand.ts';
import { clipOption, integerOption, metadataOption, textOption, textsOption } from '../arguments/read-options.ts';
import { videoUlid } from '../arguments/video-ulid.ts';
import type { CliRun } from '../cli-run.ts';
import { exitCode, usageError } from '../exit-code.ts';
import { endsCommand } from '../explain-error.ts';
import { formatSeconds, printable, table } from '../output/text.ts';
import type { Words } from '../output/words.ts';
import { runParallel } from '../run-parallel.ts';
import { findTemplate } from '../service/find-template.ts';
import { type PlayableSources, readSources } from '../service/follow-video.ts';
import { openUnchanged, readFiles } from '../uploads/local-file.ts';
import { followAndReport } from './report-progress.ts';
import { createVideoReport, sourceLines } from './video-report.ts';

/** `videos get ULID`. @returns the exit code, as all commands here */
export async function getVideoCommand({ operands, client, reporter, signal, words }: CliRun): Promise<number> {
  const ulid = videoUlid(operands[0]!);
  const { data: video } = await bodyOf(client.api.GET('/api/videos/{ulid}', { params: { path: { ulid } }, signal }));
  // Without an active proxy node there are no addresses; the rest of the video can be shown.
  const found = await readSources(client.api, ulid, signal).catch((error: unknown): PlayableSources => {
    if (!(error instanceof ApiError) || error.status !== 503) throw error;
    return { sources: [], poster_url: null };
  });
  const { name, status, duration, created_at, template } = video;
  const { labels, codes } = words;
  const worded = (reason: string): string => printable(reasonText(codes, reason));
  const decisions = video.streams.flatMap(({ meta }) => meta.decisions ?? []);
  const lines = table([
    [labels.status, codes.statuses[status]],
    [labels.length, duration === null ? words.notKnownYet : formatSeconds(duration)],
    [labels.created, created_at],
    [labels.template, template === null ? words.deleted : printable(template.name)],
    ...(status === 'failed' ? [[labels.error, worded(reasonOf(video))]] : []),
    ...failedOutputs(video).map((failed) => [labels.output, `${printable(failed.name)}: ${worded(failed.reason)}`]),
    ...descriptionRows(video, words),
    ...decisions.map((decision) => [labels.decided, printable(decisionText(codes, decision))]),
  ]);
  reporter.result({ ...video, ...found }, [`${ulid}  ${printable(name)}`, ...lines, ...sourceLines(found.sources)]);
  return exitCode.ok;
}

/** `videos set ULID` */
export async function setVideoCommand({ operands, options, client, reporter, signal, words }: CliRun): Promise<number> {
  const ulid = videoUlid(operands[0]!);
  const name = textOption(options, 'name');
  const metadata = metadataOption(options);
  const tags = options['no-tags'] ? [] : textsOption(options, 'tag');
  const expires = textOption(options, 'expires');
  const body = {
    ...(name !== undefined && { name }),
    ...(metadata && { metadata }),
    ...(tags && { tags }),
    ...(expires !== undefined && { expires_at: expires === 'never' ? null : expires }),
  };
  if (Object.keys(body).length === 0)
    throw usageError('There is nothing to change: use --name, --tag, --metadata or --expires.');
  const { data } = await bodyOf(client.api.PUT('/api/videos/{ulid}', { params: { path: { ulid } }, body, signal }));
  reporter.result(data, [`${ulid}  ${printable(data.name)}`, ...table(descriptionRows(data, words))]);
  return exitCode.ok;
}

/** Tags, pairs and the expiry of a video, where it has them. */
const descriptionRows = ({ tags, metadata, expires_at }: components['schemas']['Video'], { labels }: Words) => [
  ...(tags.length > 0 ? [[labels.tags, printable(tags.join(', '))]] : []),
  ...Object.entries(metadata).map(([key, value]) => [key, printable(value)]),
  ...(expires_at === null ? [] : [[labels.expires, expires_at]]),
];

/** `videos sources ULID` */
export async function videoSourcesCommand({ operands, options, client, reporter, signal }: CliRun): Promise<number> {
  const limits = { min: 60, max: 604_800, otherwise: 21_600 };
  const expiresInSeconds = integerOption(options, 'expires-in', limits);
  const found = await readSources(client.api, videoUlid(operands[0]!), signal, expiresInSeconds);
  reporter.result(found, sourceLines(found.sources));
  if (found.sources.length === 0) reporter.note('No output plays yet. Wait with: open-video-service videos wait ULID');
  return exitCode.ok;
}

/** `videos original ULID` */
export async function originalCommand({ operands, options, client, reporter, signal }: CliRun): Promise<number> {
  const expires_in = integerOption(options, 'expires-in', { min: 60, max: 21_600, otherwise: 3600 });
  const params = { path: { ulid: videoUlid(operands[0]!) }, query: { expires_in } };
  const found = await bodyOf(client.api.GET('/api/videos/{ulid}/original', { params, signal }));
  reporter.result(found, [found.url]);
  return exitCode.ok;
}

/** `videos wait ULID…` */
export const waitForVideosCommand = (cliRun: CliRun): Promise<number> => {
  const ulids = cliRun.operands.map(videoUlid);
  return forEachVideo(cliRun, ulids, (ulid, signal) => follow({ ...cliRun, signal }, ulid));
};

/** `videos clip ULID` */
export async function clipCommand(cliRun: CliRun): Promise<number> {
  const { operands, options, client, reporter, signal } = cliRun;
  const ulid = videoUlid(operands[0]!);
  const clip = clipOption(options);
  if (!clip) throw usageError('Give --start, --end or both.');
  const name = textOption(options, 'name');
  const template = textOption(options, 'template');
  const body = {
    ...clip,
    ...(name !== undefined && { name }),
    ...(template !== undefined && { template: (await findTemplate(client.api, template)).ulid }),
  };
  const call = client.api.POST('/api/videos/{ulid}/clips', { params: { path: { ulid } }, body, signal });
  const { data } = await bodyOf(call);
  if (!options.wait) {
    reporter.result({ ulid: data.ulid, status: data.status }, [`${printable(data.name)}: ${data.ulid} is being made`]);
    return exitCode.ok;
  }
  return forEachVideo(cliRun, [data.ulid], () => follow(cliRun, data.ulid));
}

/** `videos reprocess ULID` */
export async function reprocessCommand(cliRun: CliRun): Promise<number> {
  const { operands, options, client, reporter, signal } = cliRun;
  const ulid = videoUlid(operands[0]!);
  const call = client.api.POST('/api/videos/{ulid}/reprocess', {
    params: { path: { ulid } },
    body: { force: options.force === true },
    signal,
  });
  const { data } = await bodyOf(call);
  if (!options.wait) {
    reporter.result({ ulid, status: data.status }, [`${ulid}: processed again`]);
    return exitCode.ok;
  }
  return forEachVideo(cliRun, [ulid], () => follow(cliRun, ulid));
}

/** `videos poster ULID FILE` */
export async function posterCommand({ operands, client, reporter, signal }: CliRun): Promise<number> {
  const ulid = videoUlid(operands[0]!);
  const image = new Blob([await readOperand(operands[1]!)]);
  const { status } = await client.setPosterImage(ulid, image, { signal });
  reporter.result({ ulid, status }, [`${ulid}: the poster is being made`]);
  return exitCode.ok;
}

/** `videos replace ULID FILE` */
export async function replaceCommand({ operands, client, reporter, signal }: CliRun): Promise<number> {
  const replaces = videoUlid(operands[0]!);
  const [file] = await readFiles(operands.slice(1));
  const { path, name } = file!;
  const opened = await openUnchanged(file!);
  try {
    await client.upload(opened.blob, {
      filename: basename(path),
      replaces,
      signal,
      onProgress: ({ sentBytes, totalBytes }) =>
        reporter.bars.set(path, { label: name, share: sentBytes / totalBytes, note: '' }),
    });
  } finally {
    reporter.bars.remove(path);
    await opened.close();
  }
  reporter.result({ ulid: replaces, file: name }, [
    `${name}: uploaded. ${replaces} plays as before until the new outputs are complete.`,
  ]);
  return exitCode.ok;
}

/** `videos delete ULID…` */
export async function deleteVideosCommand(cliRun: CliRun): Promise<number> {
  const { operands, options, client, reporter, signal, ask } = cliRun;
  const ulids = operands.map(videoUlid);
  if (!options.yes) {
    if (!ask) throw usageError('Without a terminal, videos are deleted with --yes only.');
    const reply = await ask(
      `Delete ${ulids.length === 1 ? `the video ${ulids[0]}` : `${ulids.length} videos`}? (y/N) `,
    );
    if (!/^y(es)?$/i.test(reply.trim())) return exitCode.failed;
  }
  return forEachVideo(cliRun, ulids, async (ulid) => {
    // Not stopped by the error of another one: the service may have deleted it already.
    await client.api.DELETE('/api/videos/{ulid}', { params: { path: { ulid } }, signal });
    reporter.result({ type: 'deleted', ulid }, [`${ulid}: deleted`]);
    return true;
  });
}

const follow = (cliRun: CliRun, ulid: string): Promise<boolean> =>
  followAndReport(cliRun, { label: ulid, fields: {} }, ulid);

/** Does something for each video. One that fails does not end the command, unless no other can succeed either. */
async function forEachVideo(
  cliRun: CliRun,
  ulids: readonly string[],
  task: (ulid: string, signal: AbortSignal) => Promise<boolean>,
): Promise<number> {
  const report = createVideoReport(cliRun);
  const results = await runParallel(ulids, { limit: ulids.length, signal: cliRun.signal }, (ulid, signal) =>
    task(ulid, signal).catch((error: unknown) => {
      if (endsCommand(error)) throw error;
      report.refused({ label: ulid, fields: {} }, ulid, error);
      return false;
    }),
  );
  return results.every(Boolean) ? exitCode.ok : exitCode.failed;
}
