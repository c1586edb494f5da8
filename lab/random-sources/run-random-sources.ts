import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from '../../test/journey/support/client.ts';
import { startService } from '../../test/journey/support/service.ts';
import { patientFetch } from '../faults/service/patient-fetch.ts';
import { sourceOf, type Templates, type Tried, trySource } from './try-source.ts';

export type RandomSourcesOptions = {
  /** the number of the first source, from 1 */
  first: number;
  count: number;
  seed: number;
  /** tries only the source of this number */
  only?: number | undefined;
  print: (line: string) => void;
  /** receives a function that stops the service early and removes its files */
  onStarted?: (stop: () => Promise<void>) => void;
};

const workers = 2;
/** While some wait for a worker, others are made and checked. */
const atOnce = 4;

/** Tries random sources with a new service, several at a time. Resolves with those that became something wrong. */
export async function runRandomSources({
  first,
  count,
  seed,
  only,
  print,
  onStarted,
}: RandomSourcesOptions): Promise<Tried[]> {
  const folder = await mkdtemp(join(tmpdir(), 'random-sources-'));
  const service = await startService({ dataFolder: join(folder, 'data'), env: { WORKERS: String(workers) } });
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  onStarted?.(() => service.stop().then(remove));
  try {
    const client = await signUp(service.apiUrl, patientFetch);
    const templates: Templates = new Map();
    const numbers = only === undefined ? Array.from({ length: count }, (_, n) => first + n) : [only];
    const wrong: Tried[] = [];
    const tryNext = async (): Promise<void> => {
      for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
        const tried = await trySource(sourceOf(seed, number), { client, templates, folder });
        if (tried.problems.length > 0) wrong.push(tried);
        for (const line of linesOf(tried)) print(line);
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, numbers.length) }, tryNext));
    return wrong;
  } finally {
    await service.stop();
    await remove();
  }
}

const linesOf = ({ source, text, problems }: Tried): string[] => [
  `${String(source.number).padStart(4)} ${problems.length === 0 ? 'as expected' : 'WRONG'}: ${text}`,
  ...problems.map((problem) => `       ${problem}`),
];
