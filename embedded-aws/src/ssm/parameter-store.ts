import { createSerialQueue } from '../control/serial-queue.ts';
import { type Parameter, type Parameters, readParameters, writeParameters } from './parameter-file.ts';
import { openSecrets } from './secret-encryption.ts';

/**
 * The parameters, in memory and in a file. SecureString values are encrypted in both with the key in `<file>.key`, and
 * can be decrypted only under their own name.
 */
export async function openParameterStore(file: string) {
  let parameters: Parameters = await readParameters(file);
  const hasSecrets = [...parameters.values()].some(({ type }) => type === 'SecureString');
  const secrets = await openSecrets(`${file}.key`, !hasSecrets);
  const exclusively = createSerialQueue();

  return {
    find: (name: string): Parameter | undefined => parameters.get(name),
    names: (): string[] => [...parameters.keys()].sort(),
    /** The decrypted value of a parameter. */
    reveal: (name: string, { type, value }: Parameter): string =>
      type === 'SecureString' ? secrets.open(value, name) : value,
    /**
     * Changes the parameters exclusively. Readers see the change after the file is written. `change` modifies a copy;
     * when it throws, nothing changes.
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
