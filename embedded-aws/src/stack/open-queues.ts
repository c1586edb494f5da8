import { join } from 'node:path';
import { openSqs, type Sqs } from '../sqs/sqs.ts';
import { readQueues } from '../template/read-queues.ts';
import type { StackContext } from './stack-context.ts';

/** The queues of the template. */
export async function openQueues({ options, template, shutdown }: StackContext): Promise<Sqs> {
  const sqs = await openSqs({ path: join(options.dataFolder, 'queues.journal'), queues: readQueues(template) });
  shutdown.onClose(sqs.close);
  return sqs;
}
