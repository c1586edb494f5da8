import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { runsAtStart } from './store-call.ts';

/**
 * Preloaded into the service with `--import=…/through-proxy.ts?proxy=http://…&upstream=/a/file`: its functions call AWS
 * services through the proxy, which reads their two addresses from the file. Functions that run before the service is
 * ready are excluded: a service that cannot start is a different fault, and over HTTP its services do not answer yet.
 */
const { searchParams } = new URL(import.meta.url);

threads.Worker = class extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    super(file, { ...options, env: moved(options.env) });
  }
};
syncBuiltinESMExports();

function moved(env: WorkerOptions['env']): WorkerOptions['env'] {
  if (typeof env !== 'object' || !env.AWS_ENDPOINT_URL) return env;
  if (runsAtStart(env.AWS_LAMBDA_FUNCTION_NAME ?? '')) return env;
  const { AWS_ENDPOINT_URL: control, AWS_ENDPOINT_URL_S3: store } = env;
  writeFileSync(searchParams.get('upstream')!, JSON.stringify({ control, store }));
  const proxy = searchParams.get('proxy')!;
  return { ...env, AWS_ENDPOINT_URL: proxy, AWS_ENDPOINT_URL_S3: proxy };
}
