import { JobError } from '../../shared/protocol/job-errors.ts';
import type { FileRequest, FileResponse, Lease } from '../../shared/protocol/jobs.ts';
import type { JobFiles } from '../transfer/job-files.ts';
import { CallRejected } from './service-calls.ts';

/**
 * Files of a lease; `ask` is the call to the service. A rejected call becomes a JobError OUTPUT_MISMATCH, because a
 * lease allows every file that its job should write.
 */
export function leaseFiles(lease: Lease, ask: (request: FileRequest) => Promise<FileResponse>): JobFiles {
  const askService = async (request: FileRequest): Promise<FileResponse> => {
    try {
      return await ask(request);
    } catch (error) {
      if (!(error instanceof CallRejected)) throw error;
      throw new JobError(
        'OUTPUT_MISMATCH',
        `the service rejected the request '${request.ask}' for a file of this lease`,
      );
    }
  };
  const urlsOf = (kind: 'inputs' | 'outputs') => {
    const known = lease[kind];
    let request: Promise<void> | undefined;
    const requestFrom = async (from: string): Promise<void> => {
      const { urls = {} } = await askService({ ask: kind, lease: lease.id, from });
      if (urls[from] === undefined) throw new JobError('OUTPUT_MISMATCH', `the service returned no URL for ${from}`);
      Object.assign(known, urls);
    };
    return async (name: string, rejected?: string): Promise<string> => {
      // All known URLs were signed at the same time, so the others have expired too.
      if (rejected !== undefined && known[name] === rejected) for (const each of Object.keys(known)) delete known[each];
      for (;;) {
        const url = known[name];
        if (url !== undefined) return url;
        // One request at a time: its response usually contains the next URL as well.
        if (request) await request.catch(() => undefined);
        else {
          request = requestFrom(name).finally(() => {
            request = undefined;
          });
          await request;
        }
      }
    };
  };
  return {
    inputs: lease.inputs,
    outputs: lease.outputs,
    inputUrl: urlsOf('inputs'),
    outputUrl: urlsOf('outputs'),
    askParts: (request) => askService({ ...request, lease: lease.id }),
  };
}
