import { targetProblem } from '../../../shared/target-url.ts';
import { startIngests } from '../../aws/background-functions.ts';
import { userTargets } from '../../common/allowed-targets.ts';
import { mapBounded } from '../../common/concurrency.ts';
import { ValidationFailed } from '../../common/errors.ts';
import { parseUlid } from '../../common/ids.ts';
import { pageMeta, pageOffset } from '../../contracts/fields/paging.ts';
import { ingestRoutes } from '../../contracts/routes/ingest-routes.ts';
import { recordRoute, route } from '../../http/endpoint.ts';
import { ingestedBytes } from '../../ingests/ingested-bytes.ts';
import { removeIngest } from '../../ingests/remove-ingest.ts';
import { serializeIngest } from '../../serializers/serialize-ingest.ts';
import { keyProblem, sourceInStorage } from '../../storages/object-in-storage.ts';
import { findAnyIngest, findIngest, pageOfIngests } from '../../table/ingests/ingest-table.ts';
import type { Ingest, IngestSource, User } from '../../table/records.ts';
import { findStorage, unknownStorage } from '../../table/storages/storage-table.ts';
import { openUpload } from '../../uploads/upload-lifecycle.ts';

const create = route(ingestRoutes.create, async ({ body, user }) => {
  const { from, name } = await sourceIn(body, user);
  const filename = body.filename ?? name;
  const { ulid } = await openUpload(user, 'multipart', { filename, metadata: body.metadata, from });
  await startIngests({ ulid });
  const ingest = await findAnyIngest(ulid);
  if (!ingest) throw new Error(`the ingest ${ulid} was removed while it was created`);
  return { data: serializeIngest(ingest, 0) };
});

type Named = { url?: string | null | undefined; storage?: string | null | undefined; key?: string | null | undefined };

/**
 * Where the file of an ingest is, and what it is called.
 * @throws ValidationFailed unless it is either a URL, or a key in a storage of the user
 */
async function sourceIn({ url, storage, key }: Named, user: User): Promise<{ from: IngestSource; name: string }> {
  if (url != null && (storage != null || key != null)) {
    throw new ValidationFailed({ url: ['Give a url, or a storage and a key, not both.'] });
  }
  if (storage == null && key == null) {
    const target = readUrl(url);
    return { from: { url: target.href }, name: fileNameOf(target.pathname) };
  }
  const field = storage == null ? 'storage' : 'key';
  if (storage == null || key == null) {
    throw new ValidationFailed({ [field]: [{ code: 'required', message: 'Give both a storage and a key.' }] });
  }
  const found = await findStorage(user.ulid, storage);
  if (!found) throw unknownStorage();
  const problem = keyProblem(found, key);
  if (problem !== undefined) throw new ValidationFailed({ key: [{ code: 'format', message: problem }] });
  return { from: sourceInStorage(found, key), name: lastPart(key) };
}

/** @throws ValidationFailed for a URL that no worker would open */
function readUrl(text: string | null | undefined): URL {
  if (text == null) {
    const message = 'The url field is required, unless there are a storage and a key.';
    throw new ValidationFailed({ url: [{ code: 'required', message }] });
  }
  const url = URL.parse(text);
  if (!url) throw new ValidationFailed({ url: [{ code: 'url', message: 'The url field must be a valid URL.' }] });
  url.hash = '';
  const target = new URL(url.href);
  // They are sent to the server of the URL, and to no other.
  target.username = '';
  target.password = '';
  const problem = targetProblem(target, userTargets('ingest'));
  if (problem !== undefined) throw new ValidationFailed({ url: [problem] });
  return url;
}

/** The last part of the path. */
const fileNameOf = (pathname: string): string => lastPart(pathname, decoded);

/** At most as long as a file name may be. */
function lastPart(path: string, decode = (text: string): string => text): string {
  const name = [...decode(path.split('/').at(-1) ?? '').trim()].slice(-255).join('');
  return name === '' ? 'video' : name;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** At the same time: few of the ingests on a page are being fetched. */
const maxStoreCalls = 10;

const show = async (ingest: Ingest) => serializeIngest(ingest, await ingestedBytes(ingest));

const list = route(ingestRoutes.list, async ({ query, user }) => {
  const { total, ingests } = await pageOfIngests(user.ulid, { offset: pageOffset(query), limit: query.per_page });
  return { data: await mapBounded(ingests, show, maxStoreCalls), meta: pageMeta(query, total) };
});

const find = async ({ params, user }: { params: { ulid: string }; user: User }): Promise<Ingest | undefined> => {
  const ulid = parseUlid(params.ulid);
  return ulid === undefined ? undefined : findIngest(user.ulid, ulid);
};

const get = recordRoute(ingestRoutes.get, find, async ({ found }) => ({ data: await show(found) }));
const remove = recordRoute(ingestRoutes.remove, find, ({ found }) => removeIngest(found));

export const ingestEndpoints = [create, list, get, remove];
