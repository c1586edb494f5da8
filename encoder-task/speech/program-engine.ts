import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { countBeside } from '../runtime/child-cpu.ts';
import { underLimits } from '../runtime/process-limits.ts';
import { withPriority } from '../runtime/process-priority.ts';
import { killGroup } from '../runtime/run-process.ts';
import {
  type Engine,
  type EngineLimits,
  type EngineOptions,
  engineFailure,
  type Heard,
  lateAfter,
  maxTokenLength,
  maxTokens,
  observe,
  type SpeechEngineFiles,
} from './engine-process.ts';
import { sampleRate } from './speech-windows.ts';
import { withWholeCharacters } from './whole-characters.ts';

/** The program reserves 430 MiB that it does not use, which counts as its data. */
const reservedBytes = 2 ** 29;

/** A result has at most a megabyte, and is read as a whole. */
const mostWrittenBytes = 2 ** 26;

/** What whisper-cli exits with when it cannot load the model. */
const modelUnusable = 3;

/**
 * Runs whisper-cli, the program of whisper.cpp, once for each window: to load a model takes a tenth of the time that a
 * window takes, and a crash ends that process only. It gets no user text, and of the environment only the path of
 * programs.
 * @throws JobError MODEL_UNUSABLE when the model cannot be loaded, MEMORY_LIMIT when it needs more than is allowed
 */
export function startProgramEngine(
  { engineFile, modelFile }: SpeechEngineFiles,
  { folder, limits, signal, priority = 'lowest' }: EngineOptions,
): Engine {
  const [sound, said] = [join(folder, 'window.wav'), join(folder, 'window.json')];
  let usedSeconds = 0;
  return {
    hear: async (samples, language) => {
      await rm(said, { force: true });
      await writeFile(sound, wavOf(samples));
      signal.throwIfAborted();
      const whisper = [engineFile, '--model', modelFile, '--file', sound, '--language', language ?? 'auto'];
      const processLimits = {
        memoryBytes: limits.memoryBytes + reservedBytes,
        diskBytes: Math.min(limits.diskBytes, mostWrittenBytes),
      };
      const [command, ...args] = withPriority(
        priority,
        underLimits(processLimits, [...whisper, ...usual, join(folder, 'window')]),
      );
      const child = spawn(command!, args, {
        cwd: folder,
        env: { PATH: process.env.PATH, GGML_NO_BACKTRACE: '1' },
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      });
      const end = await endOf(child, limits, signal);
      usedSeconds += end.usedSeconds;
      signal.throwIfAborted();
      if (end.isLate) return undefined;
      if (end.exitCode !== 0) throw failureOf(end);
      return readHeard(await readFile(said).catch(() => undefined));
    },
    close: async () => usedSeconds,
  };
}

/** One token a segment, so that each has its time. The text of a window is not what is said in the next one. */
const usual = [
  ...['--threads', '1', '--no-gpu', '--max-len', '1', '--max-context', '0'],
  ...['--beam-size', '1', '--output-json', '--output-file'],
];

type End = { exitCode: number | null; stderrTail: string; isLate: boolean; usedSeconds: number };

/** What nice and prlimit exit with when there is no such program, or it may not be executed. */
const notStarted: readonly (number | null)[] = [126, 127];

function failureOf({ exitCode, stderrTail }: End): JobError {
  if (notStarted.includes(exitCode)) return new JobError('INTERNAL', 'whisper-cli could not be started');
  const failure = engineFailure(exitCode === null ? 'out of memory' : stderrTail, 'the engine of speech has crashed');
  return exitCode === modelUnusable && failure.code !== 'MEMORY_LIMIT'
    ? new JobError('MODEL_UNUSABLE', 'the model of speech cannot be loaded', { fatal: true })
    : failure;
}

async function endOf(child: ChildProcess, limits: EngineLimits, signal: AbortSignal): Promise<End> {
  const observed = observe(child);
  const kill = () => killGroup(child);
  // What a script has started keeps its output open, which would be waited for.
  child.once('exit', kill);
  signal.addEventListener('abort', kill, { once: true });
  const ended = new AbortController();
  let isLate = false;
  void lateAfter(child, limits, ended.signal).then(() => {
    isLate = true;
    kill();
  });
  try {
    const { exitCode, exitSignal } = await new Promise<{ exitCode: number | null; exitSignal: string | null }>(
      (resolve, reject) => {
        child.once('error', (cause) => reject(new JobError('INTERNAL', 'whisper-cli could not be started', { cause })));
        child.once('close', (code, by) => resolve({ exitCode: code, exitSignal: by }));
      },
    );
    const usedSeconds = observed.usedSeconds();
    countBeside(usedSeconds);
    // Other signals than that of the system without memory are those of a crash, with its message.
    const code = exitSignal && exitSignal !== 'SIGKILL' ? 1 : exitCode;
    return { exitCode: code, stderrTail: observed.stderrTail(), isLate, usedSeconds };
  } finally {
    observed.end();
    ended.abort();
    signal.removeEventListener('abort', kill);
  }
}

/** @param samples mono, 16 bits */
function wavOf(samples: Int16Array): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(2 * sampleRate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)]);
}

const heardSchema = z.object({
  result: z.object({ language: z.string().max(20) }),
  transcription: z.array(z.object({ text: z.string(), offsets: z.object({ from: z.number(), to: z.number() }) })),
});

/**
 * What whisper-cli has written. Its texts are bytes of which a character can be in several, and in which control
 * characters are not escaped.
 */
function readHeard(json: Buffer | undefined): Heard {
  const { data } = heardSchema.safeParse(parsed((json ?? Buffer.alloc(0)).toString('latin1')));
  if (!data) throw new JobError('ENCODER_FAILED', 'the engine of speech has written no result');
  const segments = data.transcription.slice(0, maxTokens).map(({ text, offsets: { from, to } }) => ({
    bytes: Buffer.from(text, 'latin1'),
    startMs: from,
    endMs: to,
  }));
  const text = Buffer.concat(segments.map(({ bytes }) => bytes)).toString();
  const tokens = segments.map(({ bytes, ...times }) => ({ text: bytes.toString().slice(0, maxTokenLength), ...times }));
  return { language: data.result.language, tokens: withWholeCharacters(tokens, text) };
}

function parsed(json: string): unknown {
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the program does not escape
    return JSON.parse(json.replace(/[\u0000-\u001f]/g, ' '));
  } catch {
    return undefined;
  }
}
