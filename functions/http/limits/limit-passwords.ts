import { TooManyRequests } from '../../common/errors.ts';
import { sha256 } from '../../common/secret.ts';
import { rateLimits } from '../../contracts/route-declaration.ts';
import { isKnownNetwork, noteKnownNetwork } from '../../table/accounts/known-networks.ts';
import { countRequest, peekRequests, type RateState } from '../../table/accounts/rate-limit-table.ts';
import { clientNetwork } from '../client-network.ts';
import { rateHeaders, retryAfterSeconds } from './limit-rate.ts';

type Attempt = {
  email: string;
  sourceIp: string;
  /** the field of the error, and the start of its message */
  field: 'email' | 'password' | 'current_password';
  message: string;
};
type AccountAndNetwork = Pick<Attempt, 'email' | 'sourceIp'>;

/**
 * Counts an attempt at an account's password, for its network and for all networks together. The limit for all networks
 * does not apply to networks from which the account has signed in: otherwise an attacker could lock the owner out. A
 * third limit counts the wrong passwords of a network over all accounts. Returns the rate limit headers.
 * @throws TooManyRequests
 */
export async function limitPasswordAttempts({
  email,
  sourceIp,
  field,
  message,
}: Attempt): Promise<Record<string, string>> {
  const [account, network] = [sha256(email), clientNetwork(sourceIp)];
  const reject = (state: RateState): never => {
    const seconds = retryAfterSeconds(state);
    throw new TooManyRequests(seconds, { [field]: [`${message} Please try again in ${seconds} seconds.`] });
  };
  const wrong = peekRequests(`passwords#${network}`, rateLimits.wrongPasswords);
  if (wrong.exceeded) reject(wrong);
  const forNetwork = await countRequest(`login#${account}#${network}`, rateLimits.login);
  if (forNetwork.exceeded) reject(forNetwork);
  const forAccount = await countRequest(`login#${account}`, rateLimits.loginPerAccount);
  if (forAccount.exceeded && !(await isKnownNetwork(account, network))) reject(forAccount);
  return rateHeaders(forNetwork);
}

/** Counts a wrong password for its network, over all accounts. */
export async function countWrongPassword({ sourceIp }: Pick<AccountAndNetwork, 'sourceIp'>): Promise<void> {
  await countRequest(`passwords#${clientNetwork(sourceIp)}`, rateLimits.wrongPasswords);
}

/** Stores that the account has signed in from this network. */
export const rememberNetwork = ({ email, sourceIp }: AccountAndNetwork): Promise<void> =>
  noteKnownNetwork(sha256(email), clientNetwork(sourceIp));
