import type { ChildProcess } from 'node:child_process';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { Word } from '../../shared/protocol/jobs.ts';
import { cpuSecondsOf } from '../runtime/child-cpu.ts';
import type { ProcessPriority } from '../runtime/process-priority.ts';

/**
 * A Whisper model in the format of whisper.cpp, and what runs it: the program whisper-cli, or an addon of Node, whose
 * name has an extension.
 */
export type SpeechEngineFiles = { modelFile: string; engineFile: string };
/** The same of a worker: without a file of its own, it gets the model with a job. */
export type SpeechFiles = { modelFile: string | undefined; engineFile: string };

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
export type EngineLimits = {
  windowSeconds: number;
  /** A process that uses no processor time for so long hangs. */
  stallSeconds: number;
  memoryBytes: number;
  diskBytes: number;
};

export type EngineOptions = {
  /** of the job: the engine may write files into it */
  folder: string;
  limits: EngineLimits;
  signal: AbortSignal;
  priority?: ProcessPriority;
};

/** Whisper has no more tokens in 30 s. */
export const maxTokens = 2000;
export const maxTokenLength = 200;

const memoryTexts = /bad_alloc|failed to allocate|allocation failed|(out of|insufficient) memory/i;

/** @param text what the engine said when it failed */
export const engineFailure = (text: string, message: string): JobError =>
  memoryTexts.test(text)
    ? new JobError('MEMORY_LIMIT', 'the engine of speech needs more memory than is allowed')
    : new JobError('ENCODER_FAILED', message);

/** How often the processor time is read: nothing tells it after the end of the process. */
const measureMilliseconds = 100;
const stderrTailLength = 4096;

/** Keeps what a process has used and the end of what it says, also of one that ends by itself. */
export function observe(child: ChildProcess) {
  let stderrTail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-stderrTailLength);
  });
  let lastSeconds = 0;
  const measure = (): void => {
    lastSeconds = cpuSecondsOf(child.pid ?? 0) ?? lastSeconds;
  };
  const measuring = setInterval(measure, measureMilliseconds);
  return {
    stderrTail: () => stderrTail,
    usedSeconds: () => lastSeconds,
    /** Reads the processor time once more, such as before the process is killed. */
    measure,
    /** After the end of the process, whose number can be that of another one. */
    end: () => clearInterval(measuring),
  };
}

/** How often the used time is compared with the limit. */
const checkMilliseconds = 5_000;

/** Resolves when a process has used more processor time than it may for a window, or none for too long. */
export function lateAfter(
  child: ChildProcess,
  { windowSeconds, stallSeconds }: Pick<EngineLimits, 'windowSeconds' | 'stallSeconds'>,
  end: AbortSignal,
) {
  const usedBefore = usedSeconds(child);
  let last = { used: usedBefore, atMs: performance.now() };
  return new Promise<'late'>((resolve) => {
    const check = setInterval(
      () => {
        const [used, atMs] = [usedSeconds(child), performance.now()];
        if (used > last.used) last = { used, atMs };
        if (used - usedBefore > windowSeconds || atMs - last.atMs > 1000 * stallSeconds) resolve('late');
      },
      Math.min(checkMilliseconds, 250 * Math.min(windowSeconds, stallSeconds)),
    );
    end.addEventListener('abort', () => clearInterval(check), { once: true });
  });
}

/** Where the system does not tell the processor time of a process, time on the clock. */
const usedSeconds = ({ pid }: ChildProcess): number => cpuSecondsOf(pid ?? 0) ?? performance.now() / 1000;
