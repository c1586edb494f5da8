#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import packageFile from '../package.json' with { type: 'json' };
import { Interrupted } from './exit-code.ts';
import { run } from './run.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    const reason = new Interrupted(signal);
    // The second time, the user does not want to wait.
    if (stop.signal.aborted) process.exit(reason.exitCode);
    stop.abort(reason);
  });
}

/** The reader of a pipe has ended, as `head` does. */
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0);
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // It takes Ctrl-C from the terminal.
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await terminal.question(question, { signal: stop.signal });
  } catch (error) {
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    terminal.close();
  }
}

process.exitCode = await run(process.argv.slice(2), packageFile.version, {
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  fetch: (request) => fetch(request),
  signal: stop.signal,
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
});
