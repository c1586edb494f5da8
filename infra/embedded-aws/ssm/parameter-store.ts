import { createSerialQueue } from '../control/serial-queue.ts';
import { type Parameter, type Parameters, readParameters, writeParameters } from './parameter-file.ts';
import { openSecrets } from './secret-encryption.ts';

/**
 * The parameters in memory and in one file. Secret values are sealed in both, with a key in `<file>.key`; a sealed value
 * opens only under its own name.
 */
export async function openParameterStore(file: string) {
  let parameters: Parameters = await readParameters(file);
  const hasSecrets = [...parameters.values()].some(({ type }) => type === 'SecureString');
  const secrets = await openSecrets(`${file}.key`, !hasSecrets);
  const exclusively = createSerialQueue();

  return {
    find: (name: string): Parameter | undefined => parameters.get(name),
    names: (): string[] => [...parameters.keys()].sort(),
    /** The value of a parameter as it was put. */
    reveal: (name: string, { type, value }: Parameter): string =>
      type === 'SecureString' ? secrets.open(value, name) : value,
    /**
     * Changes the parameters, alone, and writes the file before they are seen. `change` gets a copy to work on; when it
     * throws, nothing has changed.
     */
    change<T>(change: (draft: Parameters) => T): Promise<T> {
      return exclusively(async () => {
        const draft = new Map(parameters);
        const result = change(draft);
        await writeParameters(file, draft);
        parameters = draft;
        return result;
      });
    },
    seal: (name: string, type: Parameter['type'], value: string): string =>
      type === 'SecureString' ? secrets.seal(value, name) : value,
    /** Resolves when the last change is in the file. */
    close: (): Promise<void> => exclusively(async () => undefined),
  };
}

export type ParameterStore = Awaited<ReturnType<typeof openParameterStore>>;
