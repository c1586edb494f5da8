import { readFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import * as z from 'zod';
import type { SpeechFiles } from '../speech/engine-process.ts';

const settingsSchema = z.object({
  SYNC_URL: z.url({ protocol: /^https?$/ }),
  WORKER_TOKEN: z.string().regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/, 'must be "<node>.<secret>"'),
  WORKER_NAME: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional(),
  WORK_FOLDER: z.string().min(1).optional(),
  TRANSCRIBER: z.enum(['on', 'off']).default('off'),
  TRANSCRIPTION_MODEL: z.string().min(1).optional(),
  SPEECH_ENGINE: z.string().min(1).default('/app/whisper/whisper-cli'),
  FETCHER: z.enum(['on', 'off']).default('on'),
  IDLE_EXIT_SECONDS: z.coerce.number().int().nonnegative().default(0),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
});

export type Settings = {
  syncUrl: string;
  token: string;
  /** unique among the processes with the same token */
  workerName: string;
  workFolder: string;
  /** 0 means never */
  idleExitSeconds: number;
  /** runs a fetcher beside the worker */
  hasFetcher: boolean;
  /** what runs a model of speech, and a model; undefined when the worker does not transcribe */
  speech: SpeechFiles | undefined;
  logLevel: z.infer<typeof settingsSchema>['LOG_LEVEL'];
};

/** The settings that a Lambda function has for all its invocations. */
export const readLogLevel = (env: NodeJS.ProcessEnv): Settings['logLevel'] =>
  settingsSchema.shape.LOG_LEVEL.parse(env.LOG_LEVEL || undefined);
export const readWorkFolder = ({ WORK_FOLDER }: NodeJS.ProcessEnv): string => WORK_FOLDER || tmpdir();

/** `WORKER_TOKEN_FILE` names a file with the token, such as one that the service of `compose.yaml` writes. */
function readToken({ WORKER_TOKEN: token, WORKER_TOKEN_FILE: file }: NodeJS.ProcessEnv): string | undefined {
  if (file === undefined || token !== undefined) return token;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(`WORKER_TOKEN_FILE: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/**
 * Reads the worker's settings from the environment. Throws an Error that names every invalid variable, but no value.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  // many container runtimes pass an unset variable as an empty one
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = settingsSchema.safeParse({ ...given, WORKER_TOKEN: readToken(given) });
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  }
  const { SYNC_URL, WORKER_TOKEN, WORKER_NAME, FETCHER, IDLE_EXIT_SECONDS, LOG_LEVEL } = parsed.data;
  const { TRANSCRIBER, TRANSCRIPTION_MODEL: modelFile, SPEECH_ENGINE: engineFile } = parsed.data;
  return {
    syncUrl: SYNC_URL,
    token: WORKER_TOKEN,
    workerName: WORKER_NAME ?? `${hostname().replace(/[^A-Za-z0-9_-]/g, '-')}-${process.pid}`.slice(-64),
    workFolder: readWorkFolder(env),
    hasFetcher: FETCHER === 'on',
    speech: modelFile === undefined && TRANSCRIBER === 'off' ? undefined : { modelFile, engineFile },
    idleExitSeconds: IDLE_EXIT_SECONDS,
    logLevel: LOG_LEVEL,
  };
}
