import { JobError } from '../../shared/protocol/job-errors.ts';
import type { FileAnswer, FileRequest, Lease } from '../../shared/protocol/jobs.ts';
import type { JobFiles } from '../transfer/job-files.ts';
import { CallRefused } from './service-calls.ts';

/** `ask` is the call to the service. Its refusal becomes a JobError: OUTPUT_MISMATCH, since a lease has room for all that its job should make. */
export function leaseFiles(lease: Lease, ask: (request: FileRequest) => Promise<FileAnswer>): JobFiles {
  const asked = async (request: FileRequest): Promise<FileAnswer> => {
    try {
      return await ask(request);
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error;
      throw new JobError('OUTPUT_MISMATCH', `the service refused to ${request.ask} a file of this lease`);
    }
  };
  const urlsOf = (kind: 'inputs' | 'outputs') => {
    const known = lease[kind];
    let asking: Promise<void> | undefined;
    const askFrom = async (from: string): Promise<void> => {
      const { urls = {} } = await asked({ ask: kind, lease: lease.id, from });
      if (urls[from] === undefined) throw new JobError('OUTPUT_MISMATCH', `the service gave no URL for ${from}`);
      Object.assign(known, urls);
    };
    return async (name: string, refused?: string): Promise<string> => {
      // Those beside it were signed with it, and are as old.
      if (refused !== undefined && known[name] === refused) for (const each of Object.keys(known)) delete known[each];
      for (;;) {
        const url = known[name];
        if (url !== undefined) return url;
        // One question at a time: its answer is most often that to the next, too.
        if (asking) await asking.catch(() => undefined);
        else {
          asking = askFrom(name).finally(() => {
            asking = undefined;
          });
          await asking;
        }
      }
    };
  };
  return {
    inputs: lease.inputs,
    outputs: lease.outputs,
    inputUrl: urlsOf('inputs'),
    outputUrl: urlsOf('outputs'),
    askParts: (request) => asked({ ...request, lease: lease.id }),
  };
}
