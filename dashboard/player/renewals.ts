/** New URLs that are refused so soon would be refused again and again. */
const shortestMilliseconds = 60_000;

/** Decides what a player does when the service refuses a URL: several requests for one URL are refused together. */
export function createRenewals(now = Date.now) {
  let last: { url: string; at: number } | undefined;
  return {
    afterRefusal(url: string): 'renew' | 'wait' | 'give up' {
      if (last?.url === url) return 'wait';
      if (last !== undefined && now() - last.at < shortestMilliseconds) return 'give up';
      last = { url, at: now() };
      return 'renew';
    },
  };
}
