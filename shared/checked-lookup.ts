import { addressProblem } from './target-url.ts';

type Address = { address: string; family: number };
type Failure = Error | null;

/** `dns.lookup` with all addresses. */
export type Resolve = (
  hostname: string,
  options: { all: true },
  callback: (error: Failure, addresses: Address[]) => void,
) => void;

/**
 * The lookup of a connection to a host of a user. Every address of the host must be allowed. The connection is made to
 * one of the checked addresses, so a name that resolves to another address a moment later is checked again.
 * @param refused the error for a host with an address that is not allowed
 */
export const checkedLookup =
  (allowLoopback: boolean, refused: () => Error, resolve: Resolve) =>
  (
    hostname: string,
    options: { all?: boolean | undefined },
    callback: (error: Failure, address: string | Address[], family?: number) => void,
  ): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? noAddress(hostname), '', 0);
      if (addresses.some(({ address }) => addressProblem(address, { allowLoopback }) !== undefined)) {
        return callback(refused(), '', 0);
      }
      if (options.all) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };

const noAddress = (hostname: string): Error =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
