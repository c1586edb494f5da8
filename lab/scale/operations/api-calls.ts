import { newUlid } from '../../../functions/common/ids.ts';
import { maxTranscriptWords } from '../../../functions/common/name-words.ts';
import { callApi } from '../../../test/fixtures/use-whole-api.ts';
import type { Actors } from '../table/actors.ts';
import { storeVideoWithCaptions } from '../table/store-records.ts';
import type { Operation } from './operation.ts';

/** As many calls of an instance share what it caches. */
const callsOfInstance = 20;

/** Calls of the API whose cost must not depend on what else the table holds. */
export function apiCalls({ admin, owner, video, template }: Actors): Operation[] {
  const today = new Date().toISOString().slice(0, 10);
  const get = (path: `/${string}`, token: string, calls = callsOfInstance): Operation => ({
    name: `GET ${path}`.replace(video.ulid, '{ulid}'),
    calls,
    run: async () => {
      for (let call = 0; call < calls; call++) await answered(`GET ${path}`, { token });
    },
  });
  let talks: Promise<void> | undefined;
  /** A page of videos, newer than all others, whose captions have as many words as are listed. */
  async function storeTalks(): Promise<void> {
    for (let number = 0; number < 15; number++) {
      await storeVideoWithCaptions(owner.user, { template, number, moreWords: maxTranscriptWords });
    }
  }
  return [
    get('/api/me', owner.token),
    get('/api/videos', owner.token),
    get('/api/videos?status=completed&per_page=15', owner.token),
    get('/api/videos?q=holiday&per_page=15', owner.token),
    ...['harbour', 'har', 'harbour+sailing'].map((words) => ({
      ...get(`/api/videos?q=${words}&in=transcript&per_page=15`, owner.token),
      prepare: () => (talks ??= storeTalks()),
    })),
    get('/api/videos?tag=family&tag=summer&per_page=15&cursor=', owner.token),
    get(`/api/videos/${video.ulid}`, owner.token),
    get(`/api/videos/${video.ulid}/sources`, owner.token),
    get('/api/uploads', owner.token),
    get('/api/users?per_page=15', admin.token),
    get('/api/nodes?per_page=15', admin.token),
    get(`/api/usage?from=${today}&to=${today}`, owner.token),
    get('/api/analytics', admin.token),
    get('/api/queue', admin.token),
    get('/api/workers', admin.token),
    ...[false, true].map((isKeyed) => ({
      name: `POST /api/templates${isKeyed ? ' with an Idempotency-Key' : ''}`,
      calls: callsOfInstance,
      run: async () => {
        const query = { ladder: { codec: 'h264' }, outputs: [{ format: 'hls' }] };
        for (let call = 0; call < callsOfInstance; call++) {
          const headers = isKeyed ? { 'idempotency-key': newUlid() } : {};
          await answered('POST /api/templates', { token: owner.token, body: { name: 'Keyed', query }, headers });
        }
      },
    })),
    {
      name: 'POST /api/objstore/multipart',
      calls: callsOfInstance,
      run: async () => {
        const body = { filename: 'a.mp4', metadata: { template: template.ulid } };
        for (let call = 0; call < callsOfInstance; call++) {
          await answered('POST /api/objstore/multipart', { token: owner.token, body });
        }
      },
    },
  ];
}

export async function answered(request: `${string} /${string}`, sent: Parameters<typeof callApi>[1]) {
  const response = await callApi(request, sent);
  if (response.status >= 300) throw new Error(`${request} answered ${response.status} ${response.text}`);
  return response;
}
