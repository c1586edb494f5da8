import type { Client } from 'openapi-fetch';
import type { Api } from '../../api.ts';

export type Ingest = {
  ulid: string;
  status: 'pending' | 'fetching' | 'stored' | 'failed';
  bytes_received: number;
  size: number | null;
  error: string | null;
};

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
};

/** The same client, with the operations of ingests. */
export const withComingOperations = (api: Api): Client<ComingPaths> => api as unknown as Client<ComingPaths>;
