import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { type JobResult, maxWordsOfPart, type TranscribeSpec, type Word } from '../../shared/protocol/jobs.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { speechArgs } from '../ffmpeg/speech-args.ts';
import { startEngine } from '../speech/engine.ts';
import type { Engine } from '../speech/engine-process.ts';
import { fetchModel } from '../speech/fetch-model.ts';
import { heardWords } from '../speech/heard-words.ts';
import { checkModel } from '../speech/model-file.ts';
import { type SpeechWindow, sampleRate, speechWindows } from '../speech/speech-windows.ts';
import { fetchTrack } from './fetch-track.ts';
import type { JobContext } from './job-context.ts';

type Context = JobContext<TranscribeSpec>;
type Recognised = Omit<JobResult<'transcribe'>, 'cpuSeconds'>;

/** How long the engine may take for a window of 30 s: a large model on a busy core needs minutes. */
const windowSeconds = 600;
/** All others go first, but none of them stops a process for so long. */
const stallSeconds = 300;
/** So many windows that took too long say that the others would too. */
const maxLate = 2;

/** Recognises what is said in a part of a finished audio track. */
export async function transcribe(context: Context): Promise<JobResult<'transcribe'>> {
  const { spec, speech, limits, signal, countCpu } = context;
  if (!speech) throw new JobError('MODEL_UNUSABLE', 'this worker has no model of speech');
  const modelFile = spec.modelSha256 === undefined ? speech.modelFile : await fetchModel(context, spec.modelSha256);
  if (modelFile === undefined) throw new JobError('MODEL_UNUSABLE', 'this worker has no model of speech');
  const { memoryBytes, onlyLanguage } = await checkModel(modelFile);
  if (onlyLanguage !== null && spec.language !== null && spec.language !== onlyLanguage) {
    throw new JobError('MODEL_UNUSABLE', 'the model of speech of this worker knows only English');
  }
  const samples = await decode(context);
  const windows = speechWindows(samples);
  if (windows.length === 0) return { language: null, words: [], cpuSeconds: 0 };
  const engine = await startEngine(
    { engineFile: speech.engineFile, modelFile },
    {
      folder: context.folder,
      limits: { windowSeconds, stallSeconds, memoryBytes, diskBytes: limits.diskBytes },
      signal,
    },
  );
  try {
    const recognised = await hearAll(context, engine, { samples, windows, language: onlyLanguage ?? spec.language });
    return { ...recognised, cpuSeconds: await engine.close() };
  } finally {
    countCpu(await engine.close());
  }
}

/** The part as PCM. */
async function decode(context: Context): Promise<Int16Array> {
  const { folder, spec } = context;
  await fetchTrack(context, { name: 'audio', parts: spec.parts }, 'audio.fmp4');
  await runFfmpeg(context, { args: speechArgs(spec, 'audio.fmp4', 'speech.pcm') });
  const bytes = await readFile(join(folder, 'speech.pcm'));
  return new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 2));
}

async function hearAll(
  { spec, log, reportProgress }: Context,
  engine: Engine,
  { samples, windows, language: known }: { samples: Int16Array; windows: SpeechWindow[]; language: string | null },
): Promise<Recognised> {
  const words: Word[] = [];
  let language = known;
  let late = 0;
  for (const [index, window] of windows.entries()) {
    const from = Math.floor(window.from * sampleRate);
    const heard = await engine.hear(samples.slice(from, Math.ceil(window.to * sampleRate)), language);
    if (!heard) log.warn('the speech of a window was not recognised in time', { seconds: windowSeconds });
    if (!heard && ++late > maxLate) throw new JobError('TIME_LIMIT', 'the speech was not recognised in time');
    const said = heard ? heardWords(heard.tokens, window) : [];
    // The first window in which somebody speaks decides for the others: detection hears each window twice.
    if (said.length > 0) language ??= heard!.language;
    words.push(...said);
    reportProgress((index + 1) / windows.length);
  }
  const offsetMs = Math.round(spec.fromSeconds * 1000);
  const placed = words.map(({ text, startMs, endMs }) => ({
    text: text.slice(0, 200),
    startMs: startMs + offsetMs,
    endMs: endMs + offsetMs,
  }));
  return { language: words.length > 0 ? language : null, words: placed.slice(0, maxWordsOfPart) };
}
