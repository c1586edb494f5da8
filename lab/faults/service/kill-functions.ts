import { appendFileSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import threads, { type WorkerOptions } from 'node:worker_threads';

/**
 * Preloaded into the service with `--import …/kill-functions.ts?folder=…`: ends the threads of functions while they
 * work, as when Lambda loses a host. While the folder has a file with the name of a function, such as `dispatch`, each
 * invocation of this function ends at a random moment within the milliseconds that the file says. The file `kills` gets
 * a line for each.
 */
const folder = new URL(import.meta.url).searchParams.get('folder')!;

threads.Worker = class extends threads.Worker {
  readonly #function: string;

  constructor(file: string | URL, options: WorkerOptions = {}) {
    super(file, options);
    this.#function = options.name?.split('-').at(-1) ?? '';
  }

  override postMessage(message: unknown, ...transfer: []): void {
    super.postMessage(message, ...transfer);
    const withinMs = this.#isInvocation(message) ? limitFor(this.#function) : undefined;
    if (withinMs === undefined) return;
    setTimeout(() => {
      appendFileSync(join(folder, 'kills'), `${this.#function}\n`);
      void this.terminate();
    }, Math.random() * withinMs);
  }

  #isInvocation(message: unknown): boolean {
    return this.#function !== '' && typeof message === 'object' && message !== null && 'event' in message;
  }
};
syncBuiltinESMExports();

function limitFor(name: string): number | undefined {
  try {
    return Number(readFileSync(join(folder, name), 'utf8'));
  } catch {
    return undefined;
  }
}
