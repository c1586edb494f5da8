import { join } from 'node:path';
import { folderOf, openS3, type S3, type S3Options } from '../s3/s3-server.ts';
import { readBucketDenials } from '../template/read-bucket-policies.ts';
import { readBuckets } from '../template/read-buckets.ts';
import { region } from '../template/resource-identity.ts';
import { restrictByBucketPolicies } from './bucket-denials.ts';
import type { StackContext } from './stack-context.ts';

const dayMs = 86_400_000;

export async function openBuckets(
  stack: StackContext,
  { findPrincipal, onObjectCreated }: Pick<S3Options, 'findPrincipal' | 'onObjectCreated'>,
): Promise<S3> {
  const { options, template, shutdown } = stack;
  const s3 = await openS3({
    folder: join(options.dataFolder, 's3'),
    region,
    findPrincipal: restrictByBucketPolicies(findPrincipal, readBucketDenials(stack.template)),
    buckets: readBuckets(template),
    async onObjectCreated(event) {
      await onObjectCreated(event);
      options.meter?.('objects created', 1, folderOf(event.key));
    },
    meter: options.meter,
  });
  shutdown.onClose(s3.close);
  // Before the store closes, no request may be open.
  shutdown.onClose(options.stopServing);
  applyLifecycleDaily(s3, stack);
  return s3;
}

function applyLifecycleDaily(s3: S3, { reportTo, shutdown }: StackContext): void {
  const apply = () => void s3.applyLifecycle(new Date()).catch(reportTo('s3'));
  const timer = setInterval(apply, dayMs);
  shutdown.onClose(() => clearInterval(timer));
  // Also at the start: a machine that is switched off every night never runs for a whole day.
  apply();
}
