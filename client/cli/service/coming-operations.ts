import type { Client } from 'openapi-fetch';
import type { Api } from '../../api.ts';

export type Ingest = {
  ulid: string;
  status: 'pending' | 'fetching' | 'stored' | 'failed';
  bytes_received: number;
  size: number | null;
  error: string | null;
};

export type ServiceEvent = { ulid: string; type: string; timestamp: string; data: Record<string, unknown> };

type Json<Body> = { content: { 'application/json': Body } };
type Answer<Status extends number, Body> = { responses: { [Key in Status]: Json<Body> } };

type ComingPaths = {
  '/api/ingests': {
    post: Answer<202, { data: Ingest }> & {
      requestBody: Json<{
        url: string;
        filename?: string;
        metadata: { template: string; externalUserId?: string; externalResourceId?: string };
      }>;
    };
  };
  '/api/ingests/{ulid}': {
    get: Answer<200, { data: Ingest }> & { parameters: { path: { ulid: string } } };
  };
  '/api/events': {
    get: Answer<200, { data: ServiceEvent[]; meta: { next_cursor: string | null } }> & {
      parameters: { query?: { after?: string; per_page?: number } };
    };
  };
};

/** The same client, with the operations of ingests and events. */
export const withComingOperations = (api: Api): Client<ComingPaths> => api as unknown as Client<ComingPaths>;
