import { TooManyRequests } from '../common/errors.ts';
import { sha256 } from '../common/secret.ts';
import { rateLimits } from '../contracts/route-fact.ts';
import { isKnownNetwork, noteKnownNetwork } from '../table/accounts/known-networks.ts';
import { countRequest, peekRequests, type RateState } from '../table/accounts/rate-limit-table.ts';
import { clientNetwork } from './client-network.ts';
import { rateHeaders, retryAfterSeconds } from './limit-rate.ts';

type Attempt = {
  email: string;
  sourceIp: string;
  /** what the error is said of, with its sentence up to the seconds */
  field: 'email' | 'current_password';
  message: string;
};
type Place = Pick<Attempt, 'email' | 'sourceIp'>;

/**
 * Counts an attempt at an account's password: from one network, and, more widely, from all together. The wider limit does not hold for networks that
 * the account was signed in from, or whoever guesses from elsewhere would lock the owner out. A network that tries the passwords of many accounts is
 * refused for its wrong ones. Returns the headers that say what is left.
 * @throws TooManyRequests
 */
export async function limitPasswordAttempts({
  email,
  sourceIp,
  field,
  message,
}: Attempt): Promise<Record<string, string>> {
  const [account, network] = [sha256(email), clientNetwork(sourceIp)];
  const refuse = (state: RateState): never => {
    const seconds = retryAfterSeconds(state);
    throw new TooManyRequests(seconds, { [field]: [`${message} Please try again in ${seconds} seconds.`] });
  };
  const wrong = peekRequests(`passwords#${network}`, rateLimits.wrongPasswords);
  if (wrong.exceeded) refuse(wrong);
  const here = await countRequest(`login#${account}#${network}`, rateLimits.login);
  if (here.exceeded) refuse(here);
  const everywhere = await countRequest(`login#${account}`, rateLimits.loginPerAccount);
  if (everywhere.exceeded && !(await isKnownNetwork(account, network))) refuse(everywhere);
  return rateHeaders(here);
}

/** Counts a wrong password for the network that it came from, whichever account it was tried on. */
export async function countWrongPassword({ sourceIp }: Pick<Place, 'sourceIp'>): Promise<void> {
  await countRequest(`passwords#${clientNetwork(sourceIp)}`, rateLimits.wrongPasswords);
}

/** Notes that the account's owner is at home in this network. */
export const rememberNetwork = ({ email, sourceIp }: Place): Promise<void> =>
  noteKnownNetwork(sha256(email), clientNetwork(sourceIp));
