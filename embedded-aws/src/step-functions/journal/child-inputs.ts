import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ChildInput } from '../execution/map-run.ts';

const INPUTS_PER_WRITE = 500;

function inputsFile(folder: string, mapRunId: string): string {
  return join(folder, `${mapRunId}.inputs.jsonl`);
}

export async function writeMapInputs(folder: string, mapRunId: string, inputs: ChildInput[]): Promise<void> {
  const file = await open(inputsFile(folder, mapRunId), 'w');
  try {
    for (let start = 0; start < inputs.length; start += INPUTS_PER_WRITE) {
      await file.appendFile(
        inputs
          .slice(start, start + INPUTS_PER_WRITE)
          .map(toLine)
          .join(''),
      );
    }
  } finally {
    await file.close();
  }
}

export async function readMapInputs(folder: string, mapRunId: string): Promise<ChildInput[]> {
  const inputs: ChildInput[] = [];
  const lines = createInterface({ input: createReadStream(inputsFile(folder, mapRunId)) });
  for await (const line of lines) {
    const { input, value = input, itemCount } = JSON.parse(line);
    inputs.push({ input, item: { Index: inputs.length, Value: value }, itemCount });
  }
  return inputs;
}

/** Most often the item is the input, which is then written only once. */
function toLine({ input, item, itemCount }: ChildInput): string {
  return `${JSON.stringify(item.Value === input ? { input, itemCount } : { input, value: item.Value, itemCount })}\n`;
}
