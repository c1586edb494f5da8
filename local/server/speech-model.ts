import { spawnSync } from 'node:child_process';
import { openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { describeSpeechModel, speechHeaderBytes } from '../../shared/media/speech-model.ts';
import { CannotStart } from './cannot-start.ts';

/** What workers need to make captions from speech. */
export type SpeechModel = { modelFile: string; engineFile: string };

/**
 * Checks the model of speech that the setting names, and finds the engine for it.
 * @throws CannotStart when the file cannot be used, or the engine is not installed
 */
export function findSpeechModel(file: string): SpeechModel {
  const modelFile = resolve(file);
  const model = describeSpeechModel(...readHeader(modelFile));
  if ('problem' in model) throw new CannotStart(`TRANSCRIPTION_MODEL ${file} ${model.problem}.`);
  return { modelFile, engineFile: findEngine() };
}

function readHeader(modelFile: string): Parameters<typeof describeSpeechModel> {
  try {
    const header = Buffer.alloc(speechHeaderBytes);
    const length = readSync(openSync(modelFile, 'r'), header, 0, speechHeaderBytes, 0);
    return [header.subarray(0, length), { bytes: statSync(modelFile).size, machineBytes: totalmem() }];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotStart(`TRANSCRIPTION_MODEL is a file, and ${modelFile} cannot be read (${code}).`);
  }
}

const program = 'whisper-cli';

/**
 * The program of whisper.cpp, if it is installed: it is compiled for the processor of the machine. Otherwise the addon
 * of an optional package, which npm installs for each system: on x64 it uses the oldest instructions only.
 */
export function findEngine(): string {
  if (spawnSync(program, ['--help'], { stdio: 'ignore', timeout: 30_000 }).status === 0) return program;
  const name = `@fugood/node-whisper-${platform()}-${arch()}`;
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    throw new CannotStart(
      `TRANSCRIPTION_MODEL needs the program ${program} of whisper.cpp, or the package ${name}, which is not installed: run npm install without --omit=optional.`,
    );
  }
}

/** For the operator, who can have captions made in a tenth of the processor time. */
export function describeEngine({ engineFile }: SpeechModel): string {
  if (engineFile === program) return program;
  const speed = `. It needs ten times the processor time of ${program}, which docs/captions.md says how to get`;
  return `an addon of npm${arch() === 'x64' ? speed : ''}`;
}
