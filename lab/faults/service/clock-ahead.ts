import { syncBuiltinESMExports } from 'node:module';
import threads, { type WorkerOptions } from 'node:worker_threads';

/**
 * Preloaded into a process with `--import …/clock-ahead.ts?seconds=3600`: sets the date of the process and its threads
 * ahead. Timers are not affected: a wait of a minute takes a minute.
 */
const aheadMs = Number(new URL(import.meta.url).searchParams.get('seconds')) * 1000;
const now = (): number => realDate.now() + aheadMs;
const realDate = Date;

globalThis.Date = new Proxy(realDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});

threads.Worker = class extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    super(file, { ...options, execArgv: [...(options.execArgv ?? []), '--import', import.meta.url] });
  }
};
syncBuiltinESMExports();
