import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads, { type WorkerOptions } from 'node:worker_threads';

/**
 * Loaded into the service before its own code, by `--import=…/through-proxy.ts?proxy=http://…&upstream=/a/file`: its functions reach the AWS services
 * through the proxy, which finds their two addresses in the file. What sets the service up at each start is spared: a service that cannot start is another
 * fault.
 */
const { searchParams } = new URL(import.meta.url);

threads.Worker = class extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    super(file, { ...options, env: moved(options.env) });
  }
};
syncBuiltinESMExports();

function moved(env: WorkerOptions['env']): WorkerOptions['env'] {
  if (typeof env !== 'object' || !env.AWS_ENDPOINT_URL || env.AWS_LAMBDA_FUNCTION_NAME?.endsWith('-setup')) return env;
  const { AWS_ENDPOINT_URL: control, AWS_ENDPOINT_URL_S3: store } = env;
  writeFileSync(searchParams.get('upstream')!, JSON.stringify({ control, store }));
  const proxy = searchParams.get('proxy')!;
  return { ...env, AWS_ENDPOINT_URL: proxy, AWS_ENDPOINT_URL_S3: proxy };
}
