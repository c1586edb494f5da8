import * as fc from 'fast-check';
import { beforeAll, test, vi } from 'vitest';
import { log } from '../../../functions/common/log.ts';
import { openSession } from '../../../functions/table/accounts/session-table.ts';
import { hideUser, removeUser } from '../../../functions/table/accounts/user-table.ts';
import { checkResponse } from '../../../lab/fuzz/check-response.ts';
import { type OddRequest, oddRequest } from '../../../lab/fuzz/odd-request.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import {
  createResponseCheck,
  type Document,
  type ResponseCheck,
  readDocument,
} from '../../fixtures/read-published-document.ts';
import { type PathNames, storeOwnedRecords } from '../../fixtures/records/store-owned-records.ts';
import { callApi, useWholeApi } from '../../fixtures/use-whole-api.ts';

useWholeApi();

/** Set by `npm run fuzz`. */
const requests = Number(process.env.FUZZ_RUNS ?? 300);
const seed = Number(process.env.FUZZ_SEED ?? 20261121);
const requestsPerWorld = 10;

let document: Document;
let check: ResponseCheck;
let clockMilliseconds = Date.now();

beforeAll(async () => {
  document = await readDocument();
  check = createResponseCheck(document);
  // Failures are thrown; the rest of the log only has refused requests.
  vi.spyOn(log, 'error').mockImplementation((...logged) => {
    throw (logged[1] as { error?: Error }).error ?? new Error('an error was logged');
  });
  vi.spyOn(log, 'warn').mockImplementation(() => {});
  // The clock advances a second with each request, so that no rate limit is reached.
  vi.useFakeTimers({ toFake: ['Date'] });
  return () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  };
});

type World = {
  credentials: Record<OddRequest['as'], { token?: string; session?: string }>;
  marks: PathNames;
  end(): Promise<void>;
};

/** Users with records of each kind, for a few requests. */
async function newWorld(): Promise<World> {
  const [owner, stranger, admin] = [await createPerson(), await createPerson(), await createPerson({ isAdmin: true })];
  const records = await storeOwnedRecords(owner);
  const fields = {
    template: (await callApi(`GET /api/templates/${records['/api/templates/{id}']}`, { token: owner.token })).json.data
      .ulid,
    template_id: records['/api/templates/{id}']!,
    user_id: String(stranger.user.id),
    video_id: '1',
    ssh_key_id: '1',
    email: stranger.user.email,
    key: 'uploads/x',
  };
  const paths = Object.entries(records).flatMap(([path, name]) =>
    Object.keys(document.paths)
      .filter((one) => one.startsWith(path))
      .map((one) => [`${one} ${/\{\w+\}/.exec(path)![0]}`, encodeURIComponent(name)]),
  );
  return {
    credentials: {
      owner: { token: owner.token },
      stranger: { token: stranger.token },
      admin: { token: admin.token },
      session: { session: (await openSession(owner.user)).secret },
      nobody: {},
    },
    marks: { ...fields, ...Object.fromEntries(paths), '/api/users/{id} {id}': stranger.user.ulid },
    // Users are listed in one page, which must not grow with every world.
    end: async () => {
      for (const { user } of [owner, stranger, admin]) {
        await hideUser(user, admin.user).catch(() => {});
        await removeUser(user).catch(() => {});
      }
    },
  };
}

/** Replaces marks by the ids of records; by a number where the mark is a whole JSON text. */
function withRecords(text: string, marks: PathNames): string {
  return text
    .replace(/(?:«|%C2%AB)([^»]*?)(?:»|%C2%BB)/g, (_, field: string) => marks[decodeURIComponent(field)] ?? '1')
    .replace(/("(?:\w+_id)":)"(\d+)"/g, '$1$2');
}

let calls = 0;
const statuses = new Map<string, Map<number, number>>();

function countStatus(operationId: string, status: number): void {
  const counts = statuses.get(operationId) ?? new Map<number, number>();
  statuses.set(operationId, counts.set(status, (counts.get(status) ?? 0) + 1));
}

async function send(odd: OddRequest, { credentials, marks }: World): Promise<void> {
  clockMilliseconds += 1000;
  vi.setSystemTime(clockMilliseconds);
  const { method, body, as, headers, path } = odd;
  const target = withRecords(odd.target, marks);
  const text = body === undefined ? undefined : withRecords(body, marks);
  try {
    const answered = await callApi(`${method} ${target}` as `${string} /${string}`, {
      ...credentials[as],
      ...(text !== undefined && { text }),
      headers,
      ip: `2001:db8:0:${(++calls % 65_536).toString(16)}::1`,
    });
    const operation = document.paths[path]?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()];
    countStatus(operation?.operationId ?? method, answered.status);
    checkResponse(operation, method, answered, check);
  } catch (cause) {
    const asked = { method, target, as, headers, text: text?.slice(0, 500) };
    throw new Error(`${(cause as Error).message}\nto ${JSON.stringify(asked)}`, { cause });
  }
}

test(
  `${requests} odd requests get answers that the document allows`,
  async () => {
    const property = fc.asyncProperty(
      fc.array(oddRequest(document), { minLength: requestsPerWorld, maxLength: requestsPerWorld, size: 'max' }),
      async (sequence) => {
        const world = await newWorld();
        try {
          for (const request of sequence) await send(request, world);
        } finally {
          await world.end();
        }
      },
    );
    const runs = Math.ceil(requests / requestsPerWorld);
    const report = await fc.check(property, { seed, numRuns: runs, endOnFailure: true });
    if (report.failed) throw report.errorInstance;
    if (process.env.FUZZ_RUNS !== undefined)
      console.table(Object.fromEntries([...statuses].map(([name, counts]) => [name, Object.fromEntries(counts)])));
  },
  24 * 3600 * 1000,
);
