import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '../../fixtures/servers/find-free-ports.ts';
import { processesOf } from './processes.ts';

const root = join(import.meta.dirname, '../../..');

export type CommandOptions = {
  dataFolder: string;
  /** the first of three consecutive ports; free ones by default */
  port?: number;
  /** files and options, as after `npm start --` */
  arguments_?: string[];
  env?: Record<string, string>;
};

export type Command = {
  child: ChildProcess;
  /** lines of stdout and stderr */
  output: string[];
  errors: string[];
  /** Resolves with the first matching line of stdout; rejects when the program ends without one. */
  line(pattern: RegExp): Promise<RegExpMatchArray>;
  /** exit status or signal name */
  ended: Promise<number | string>;
};

/** `npm start` without npm, on free ports. Registration is on: journeys create their own users. */
export async function runCommand({ dataFolder, port, arguments_ = [], env = {} }: CommandOptions): Promise<Command> {
  const child = spawn(process.execPath, [join(root, 'local/start.mjs'), ...arguments_], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PORT: String(port ?? (await findFreePorts())),
      DATA_DIR: dataFolder,
      REGISTRATION: 'on',
      // Receivers of webhooks and servers of files are processes of the test.
      ALLOW_LOOPBACK_TARGETS: env.PUBLIC_URL ? 'off' : 'on',
      ...env,
    },
  });
  const output: string[] = [];
  const errors: string[] = [];
  const lines = createInterface({ input: child.stdout! }).on('line', (line) => output.push(line));
  createInterface({ input: child.stderr! }).on('line', (line) => errors.push(line));
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal!));
  });

  const line = (pattern: RegExp): Promise<RegExpMatchArray> => {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpMatchArray>();
    const look = (text: string): void => {
      const match = pattern.exec(text);
      if (match) resolve(match);
    };
    output.forEach(look);
    lines.on('line', look);
    ended.then((status) => reject(new Error(`ended with ${status}:\n${[...output, ...errors].join('\n')}`)));
    return promise.finally(() => lines.off('line', look));
  };
  return { child, output, errors, line, ended };
}

export type Service = Command & { apiUrl: string; stop(): Promise<void> };

/** The whole service, ready for requests; `stop` returns when all of its processes have ended. */
export async function startService(options: CommandOptions): Promise<Service> {
  const command = await runCommand(options);
  const [, apiUrl] = await command.line(/^Ready at (\S+)/);
  return {
    ...command,
    apiUrl: apiUrl!,
    async stop() {
      command.child.kill('SIGINT');
      await command.ended;
      await untilGone(options.dataFolder);
    },
  };
}

/** Waits until no process uses a data folder. */
export const untilGone = (dataFolder: string): Promise<void> =>
  until(async () => (await processesOf(dataFolder)).length === 0);

/** @throws when it takes longer than some minutes */
export async function until(reached: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 240_000;
  while (!(await reached())) {
    if (Date.now() > endMs) throw new Error(`not in time: ${reached}`);
    // Most look at all processes.
    await sleep(200);
  }
}
