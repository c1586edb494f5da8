import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as z from 'zod';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { countBeside } from '../runtime/child-cpu.ts';
import { underLimits } from '../runtime/process-limits.ts';
import { withPriority } from '../runtime/process-priority.ts';
import {
  type Engine,
  type EngineLimits,
  type EngineOptions,
  engineFailure,
  lateAfter,
  maxTokenLength,
  maxTokens,
  observe,
  type SpeechEngineFiles,
} from './engine-process.ts';
import { withWholeCharacters } from './whole-characters.ts';

const replySchema = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ error: z.string() }),
  z.object({
    language: z.string().max(20),
    text: z.string(),
    segments: z.array(z.object({ text: z.string(), t0: z.number(), t1: z.number() })).max(maxTokens),
  }),
]);
type Reply = z.infer<typeof replySchema>;

/**
 * Loads a model in a process of its own: a crash of the engine ends that process only. It gets no user text and no
 * environment.
 * @throws JobError MODEL_UNUSABLE when the model cannot be loaded, MEMORY_LIMIT when it needs more than is allowed
 */
export async function startAddonEngine(
  files: SpeechEngineFiles,
  { limits, signal, priority = 'lowest' }: EngineOptions,
): Promise<Engine> {
  let running = await load(files, { limits, signal, priority });
  let earlierSeconds = 0;
  return {
    hear: async (samples, language) => {
      signal.throwIfAborted();
      if (!running.isAlive()) {
        earlierSeconds += running.usedSeconds();
        running = await load(files, { limits, signal, priority });
      }
      const reply = await running.ask({ samples, language }, limits);
      if (reply === 'late') return undefined;
      if ('error' in reply) throw engineFailure(reply.error, 'the engine failed to recognise speech');
      if (!('segments' in reply)) throw new JobError('ENCODER_FAILED', 'the engine sent an unknown message');
      const tokens = reply.segments.map(({ text, t0, t1 }) => ({ text, startMs: t0, endMs: t1 }));
      return { language: reply.language, tokens: withWholeCharacters(tokens, reply.text) };
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

async function load(
  files: SpeechEngineFiles,
  { limits, signal, priority }: Pick<Required<EngineOptions>, 'limits' | 'signal' | 'priority'>,
) {
  const node = [process.execPath, '--input-type=commonjs', '--eval', engineProgram];
  const processLimits = { ...limits, memoryBytes: limits.memoryBytes + reservedBytes };
  const [command, ...args] = withPriority(priority, underLimits(processLimits, node));
  const child = spawn(command!, args, {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    detached: true,
  });
  const running = runningEngine(child, signal);
  try {
    const reply = await running.ask(files, {
      windowSeconds: loadSeconds,
      stallSeconds: Math.max(limits.stallSeconds, loadSeconds),
    });
    if (reply !== 'late' && 'ready' in reply) return running;
    if (reply !== 'late' && 'error' in reply) throw engineFailure(reply.error, 'the engine cannot load the model');
  } catch (error) {
    await running.end();
    signal.throwIfAborted();
    if (error instanceof JobError && error.code === 'MEMORY_LIMIT') throw error;
  }
  await running.end();
  throw new JobError('MODEL_UNUSABLE', 'the model of speech cannot be loaded', { fatal: true });
}

function runningEngine(child: ChildProcess, signal: AbortSignal) {
  let hasEnded = false;
  const observed = observe(child);
  const closed = new Promise<{ exitSignal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (_, exitSignal) => resolve({ exitSignal }));
    // The process could not be started, or gets no more messages.
    child.once('error', () => resolve({ exitSignal: null }));
  });
  const ended = closed.then((end) => {
    hasEnded = true;
    observed.end();
    countBeside(observed.usedSeconds());
    return end;
  });
  const kill = (): void => {
    if (hasEnded || child.killed) return;
    observed.measure();
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
    usedSeconds: observed.usedSeconds,
    end,
    /** @throws JobError when the process ends instead of replying */
    ask: async (
      message: object,
      limits: Pick<EngineLimits, 'windowSeconds' | 'stallSeconds'>,
    ): Promise<Reply | 'late'> => {
      const asked = new AbortController();
      const late = lateAfter(child, limits, asked.signal);
      const replied = once(child, 'message', { signal: asked.signal }).then(([reply]) => {
        const { data } = replySchema.safeParse(reply);
        if (!data) throw new JobError('ENCODER_FAILED', 'the engine sent an unknown message');
        return data;
      });
      replied.catch(() => {});
      child.send?.(message, () => {});
      try {
        const first = await Promise.race([replied, late, ended]);
        observed.measure();
        if (first === 'late') await end();
        if (first === 'late' || !('exitSignal' in first)) return first;
        signal.throwIfAborted();
        const isKilled = first.exitSignal === 'SIGKILL';
        throw engineFailure(isKilled ? 'out of memory' : observed.stderrTail(), 'the engine of speech has crashed');
      } finally {
        asked.abort();
      }
    },
  };
}

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
    const segments = result.segments.slice(0, ${maxTokens}).map(({ text, t0, t1 }) => ({ text: text.slice(0, ${maxTokenLength}), t0, t1 }));
    const text = String(result.result ?? '').slice(0, ${maxTokenLength * maxTokens});
    process.send({ language: result.language ?? language ?? 'en', text, segments });
  } catch (error) {
    process.send({ error: String(error?.message ?? error).slice(0, 1000) });
  }
});
process.on('disconnect', () => process.exit(0));
`;
