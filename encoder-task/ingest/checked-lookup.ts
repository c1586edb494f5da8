import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { addressProblem } from '../../shared/target-url.ts';

/** Resolves a host name to all of its addresses. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export const refusedAddress = (): JobError =>
  new JobError(
    'INPUT_ADDRESS',
    'The URL, or a redirect of its server, leads to an address that is not public, or is not http or https. Use a URL that anyone on the Internet can reach.',
  );

/**
 * The lookup of a connection. Every address of the host must be allowed. The connection is made to one of the checked
 * addresses, so a name that resolves to another address a moment later is checked again.
 */
export const checkedLookup =
  (allowLoopback: boolean, resolve: Resolve = systemLookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? noAddress(hostname), '', 0);
      if (addresses.some(({ address }) => addressProblem(address, { allowLoopback }) !== undefined)) {
        return callback(refusedAddress() as NodeJS.ErrnoException, '', 0);
      }
      if (options.all) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };

const noAddress = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
