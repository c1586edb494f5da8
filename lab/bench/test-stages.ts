import { readFile } from 'node:fs/promises';
import { type EndedStage, stagesFile } from '../../test/stages.mjs';
import { type Row, row } from './row.ts';

/** Duration and CPU time of each stage of the last `npm test`. Other load changes CPU time less. */
export async function measureTestStages(): Promise<Row[]> {
  const text = await readFile(stagesFile, 'utf8').catch(() => undefined);
  if (text === undefined) {
    console.error('npm test has not been run in this folder.');
    return [];
  }
  const stages = JSON.parse(text) as EndedStage[];
  const cpuSeconds = stages.reduce((sum, stage) => sum + stage.cpuSeconds, 0);
  return [
    ...stages.map(({ name, seconds }) => row({ name: `npm test: ${name}`, value: seconds, unit: 's' })),
    row({ name: 'npm test: processor time', value: cpuSeconds, unit: 's', atMost: 1000 }),
  ];
}
