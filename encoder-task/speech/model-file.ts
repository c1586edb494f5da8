import { open } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { describeSpeechModel, speechHeaderBytes } from '../../shared/media/speech-model.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';

type UsableModel = Exclude<ReturnType<typeof describeSpeechModel>, { problem: string }>;

/**
 * Reads the header of a model of speech. Resolves with how much memory the engine may use with it, and with the
 * language of a model for one language.
 * @throws JobError MODEL_UNUSABLE with a sentence for the operator
 */
export async function checkModel(modelFile: string): Promise<UsableModel> {
  const model = describeSpeechModel(...(await readHeader(modelFile)));
  if ('problem' in model) throw unusable(model.problem);
  return model;
}

async function readHeader(modelFile: string): Promise<Parameters<typeof describeSpeechModel>> {
  try {
    const file = await open(modelFile);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(speechHeaderBytes), 0, speechHeaderBytes, 0);
      const { size: bytes } = await file.stat();
      return [buffer.subarray(0, bytesRead), { bytes, machineBytes: totalmem() }];
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unusable(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

const unusable = (problem: string): JobError =>
  new JobError('MODEL_UNUSABLE', `The model of speech ${problem}.`, { fatal: true });
