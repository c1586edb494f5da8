import { extname } from 'node:path';
import { startAddonEngine } from './addon-engine.ts';
import type { Engine, EngineOptions, SpeechEngineFiles } from './engine-process.ts';
import { startProgramEngine } from './program-engine.ts';

/** Starts what `engineFile` is: an addon of Node, or the program whisper-cli, which has no extension. */
export const startEngine = async (files: SpeechEngineFiles, options: EngineOptions): Promise<Engine> =>
  extname(files.engineFile) === '' ? startProgramEngine(files, options) : startAddonEngine(files, options);
