import { bodyOf } from '../../api.ts';
import type { components } from '../../api-types.ts';
import { shareOfDelivery } from '../../progress.ts';
import { sleep } from '../../sleep.ts';
import { textOption, textsOption } from '../arguments/read-options.ts';
import { videoUlid } from '../arguments/video-ulid.ts';
import type { CliRun } from '../cli-run.ts';
import { CommandError, exitCode, usageError } from '../exit-code.ts';
import { formatBytes } from '../output/text.ts';

type Delivery = components['schemas']['StorageDelivery'];
type Extra = Delivery['also'][number];

const extras: readonly Extra[] = ['poster', 'captions', 'original', 'metadata'];
const pollMs = 1000;

/** `videos deliver ULID`. @returns the exit code */
export async function deliverCommand(cliRun: CliRun): Promise<number> {
  const { operands, options, client, reporter, signal } = cliRun;
  const ulid = videoUlid(operands[0]!);
  const storage = textOption(options, 'storage');
  const path = textOption(options, 'path');
  const outputs = textsOption(options, 'output');
  const also = textsOption(options, 'also')?.map(readExtra);
  const body = {
    ...(storage !== undefined && { storage }),
    ...(path !== undefined && { path }),
    ...(outputs && { outputs }),
    ...(also && { also }),
  };
  const params = { path: { ulid } };
  const { data } = await bodyOf(client.api.POST('/api/videos/{ulid}/deliveries', { params, body, signal }));
  const ended = options.wait ? await waitForDelivery(cliRun, data) : data;
  const { files_copied, bytes_copied } = ended;
  const copied = `${files_copied} files, ${formatBytes(bytes_copied)} copied to ${ended.storage}`;
  reporter.result(ended, [options.wait ? `${ulid}: ${copied}` : `${ulid}: delivery ${ended.ulid} has begun`]);
  return exitCode.ok;
}

function readExtra(text: string): Extra {
  const extra = extras.find((one) => one === text);
  if (!extra) throw usageError(`--also is one of ${extras.join(', ')}.`);
  return extra;
}

async function waitForDelivery({ client, reporter, signal }: CliRun, begun: Delivery): Promise<Delivery> {
  const params = { path: { ulid: begun.video_ulid } };
  try {
    for (;;) {
      const { data } = await bodyOf(client.api.GET('/api/videos/{ulid}/deliveries', { params, signal }));
      // The list may not have a new one yet.
      const delivery = data.find(({ ulid }) => ulid === begun.ulid) ?? begun;
      const { status, error, bytes_copied } = delivery;
      if (status === 'completed') return delivery;
      if (status === 'failed') throw new CommandError(exitCode.failed, error ?? 'The service gave no reason.');
      const share = shareOfDelivery(delivery) ?? 0;
      reporter.bars.set(begun.ulid, { label: begun.video_ulid, share, note: formatBytes(bytes_copied) });
      await sleep(pollMs, signal);
    }
  } finally {
    reporter.bars.remove(begun.ulid);
  }
}
