import type { components } from '../../client/api-types.ts';

export type Ingest = components['schemas']['Ingest'];
export type Storage = components['schemas']['Storage'];
export type CreateIngest = components['schemas']['CreateIngest'];

/** Whether it waits or runs. */
export const isOpen = ({ status }: Pick<Ingest, 'status'>): boolean => status === 'pending' || status === 'fetching';

export const pollSecondsOf = (ingests: readonly Pick<Ingest, 'status'>[]): number => (ingests.some(isOpen) ? 2 : 10);

/** The host of a URL with its port. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** What every form holds: texts, as the user types them. */
export type NamedIngest = { filename: string; template: string };

/** A key is sent as it is typed: spaces at its ends are part of it. */
export const storageCreationOf = ({
  storage,
  key,
  filename,
  template,
}: NamedIngest & { storage: string; key: string }): CreateIngest => ({
  storage,
  key,
  ...(filename.trim() !== '' && { filename: filename.trim() }),
  metadata: { template },
});

type Prefixed = Pick<Storage, 'prefix'>;

/** What was typed after the prefix of one storage, in another. */
export const keyInOther = (key: string, before: Prefixed, after: Prefixed): string =>
  key.startsWith(before.prefix) ? after.prefix + key.slice(before.prefix.length) : key;

/** Without a file name, the service uses the one of the URL. */
export const creationOf = ({ url, filename, template }: NamedIngest & { url: string }): CreateIngest => ({
  url: url.trim(),
  ...(filename.trim() !== '' && { filename: filename.trim() }),
  metadata: { template },
});
