import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as z from 'zod';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { Word } from '../../shared/protocol/jobs.ts';
import { countBeside, cpuSecondsOf } from '../runtime/child-cpu.ts';
import type { Log } from '../runtime/log.ts';
import { underLimits } from '../runtime/process-limits.ts';
import { withPriority } from '../runtime/process-priority.ts';

/** A Whisper model in the format of whisper.cpp, and the addon of Node that runs it. */
export type SpeechEngineFiles = { modelFile: string; engineFile: string };

/** What is said in a window. Times are milliseconds from its start. */
export type Heard = { language: string; tokens: Word[] };

export type Engine = {
  /**
   * Recognises what is said in at most 30 s of sound, mono, 16 kHz. Undefined when the engine takes too long for it, as
   * with sound that makes it repeat itself.
   */
  hear: (samples: Int16Array, language: string | null) => Promise<Heard | undefined>;
  /** Ends the process. Resolves with the processor time that was used. */
  close: () => Promise<number>;
};

/** `windowSeconds` are of processor time: all other processes of the machine go first. */
type Limits = { windowSeconds: number; memoryBytes: number; diskBytes: number };

const replySchema = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ error: z.string() }),
  z.object({
    language: z.string(),
    segments: z.array(z.object({ text: z.string(), t0: z.number(), t1: z.number() })),
  }),
]);
type Reply = z.infer<typeof replySchema>;

/**
 * Loads a model in a process of its own: a crash of the engine ends that process only. It gets no user text and no
 * environment.
 * @throws JobError MODEL_UNUSABLE when the model cannot be loaded, MEMORY_LIMIT when it needs more than is allowed
 */
export async function startEngine(
  files: SpeechEngineFiles,
  { limits, signal, log }: { limits: Limits; signal: AbortSignal; log: Log },
): Promise<Engine> {
  let running = await load(files, limits, signal);
  let earlierSeconds = 0;
  return {
    hear: async (samples, language) => {
      signal.throwIfAborted();
      if (!running.isAlive()) {
        earlierSeconds += running.usedSeconds();
        running = await load(files, limits, signal);
      }
      const reply = await running.ask({ samples, language }, limits.windowSeconds);
      if (reply === 'late') {
        log.warn('the speech of a window was not recognised in time', { seconds: limits.windowSeconds });
        return undefined;
      }
      if ('error' in reply) throw new JobError('ENCODER_FAILED', 'the engine failed to recognise speech');
      if (!('segments' in reply)) throw new JobError('ENCODER_FAILED', 'the engine sent an unknown message');
      const { language: detected, segments } = reply;
      return { language: detected, tokens: segments.map(({ text, t0, t1 }) => ({ text, startMs: t0, endMs: t1 })) };
    },
    close: async () => {
      await running.end();
      return earlierSeconds + running.usedSeconds();
    },
  };
}

/** Node reserves address space that it does not use, which counts as the data of its process. */
const reservedBytes = 2 ** 30;

/** A model of 3 GB takes seconds of processor time to load. */
const loadSeconds = 120;
/** How often the used time is compared with the limit. */
const checkMilliseconds = 5_000;

async function load(files: SpeechEngineFiles, limits: Limits, signal: AbortSignal) {
  const node = [process.execPath, '--input-type=commonjs', '--eval', engineProgram];
  const processLimits = { ...limits, memoryBytes: limits.memoryBytes + reservedBytes };
  const [command, ...args] = withPriority('lowest', underLimits(processLimits, node));
  const child = spawn(command!, args, {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    detached: true,
  });
  const running = runningEngine(child, signal);
  const reply = await running.ask(files, loadSeconds);
  if (reply !== 'late' && 'ready' in reply) return running;
  await running.end();
  throw new JobError('MODEL_UNUSABLE', 'the model of speech cannot be loaded', { fatal: true });
}

function runningEngine(child: ChildProcess, signal: AbortSignal) {
  let hasEnded = false;
  let stderrTail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-4096);
  });
  const ended = once(child, 'close').then(([code, exitSignal]) => {
    hasEnded = true;
    countBeside(lastSeconds);
    return { code, exitSignal };
  });
  let lastSeconds = 0;
  const measure = (): void => {
    lastSeconds = cpuSecondsOf(child.pid ?? 0) ?? lastSeconds;
  };
  const kill = (): void => {
    if (hasEnded || child.killed) return;
    measure();
    child.kill('SIGKILL');
  };
  signal.addEventListener('abort', kill, { once: true });
  const end = async (): Promise<void> => {
    kill();
    await ended;
    signal.removeEventListener('abort', kill);
  };
  return {
    isAlive: () => !hasEnded && !child.killed,
    usedSeconds: () => lastSeconds,
    end,
    /** @throws JobError when the process ends instead of replying */
    ask: async (message: object, seconds: number): Promise<Reply | 'late'> => {
      const asked = new AbortController();
      const usedBefore = usedSeconds(child);
      const late = new Promise<'late'>((resolve) => {
        const check = setInterval(() => {
          if (usedSeconds(child) - usedBefore > seconds) resolve('late');
        }, checkMilliseconds);
        asked.signal.addEventListener('abort', () => clearInterval(check), { once: true });
      });
      const replied = once(child, 'message', { signal: asked.signal }).then(([reply]) => replySchema.parse(reply));
      replied.catch(() => {});
      child.send(message, () => {});
      try {
        const first = await Promise.race([replied, late, ended]);
        measure();
        if (first === 'late') await end();
        if (first === 'late' || !('exitSignal' in first)) return first;
        signal.throwIfAborted();
        const isMemory =
          first.exitSignal === 'SIGKILL' || /bad_alloc|failed to allocate|out of memory/i.test(stderrTail);
        if (isMemory) throw new JobError('MEMORY_LIMIT', 'the engine of speech needs more memory than is allowed');
        throw new JobError('ENCODER_FAILED', 'the engine of speech has crashed');
      } finally {
        asked.abort();
      }
    },
  };
}

/** Where the system does not tell the processor time of a process, time on the clock. */
const usedSeconds = ({ pid }: ChildProcess): number => cpuSecondsOf(pid ?? 0) ?? performance.now() / 1000;

/**
 * The program of the process that runs the engine, for `node --eval`: the worker is one bundled file, of which the
 * process needs nothing. The first message names the files, each other one has the samples of a window.
 */
const engineProgram = `
let context;
process.on('message', async (message) => {
  try {
    if (!context) {
      const { WhisperContext } = require(message.engineFile);
      context = new WhisperContext({ filePath: message.modelFile, useGpu: false });
      process.send({ ready: true });
      return;
    }
    const { samples, language } = message;
    const data = samples.buffer.slice(samples.byteOffset, samples.byteOffset + samples.byteLength);
    // One token a segment, so that each has its time. A token of another language would change the text.
    const { promise } = context.transcribeData(data, {
      language: language ?? 'auto', maxThreads: 1, maxLen: 1, tokenTimestamps: true, maxContext: 0,
    });
    const result = await promise;
    const segments = result.segments.map(({ text, t0, t1 }) => ({ text, t0, t1 }));
    process.send({ language: result.language ?? language ?? 'en', segments });
  } catch (error) {
    process.send({ error: String(error?.message ?? error) });
  }
});
process.on('disconnect', () => process.exit(0));
`;
