import { chromium } from 'playwright-core';
import { type Account, openAccount } from './account.ts';
import { findChromium } from './find-chromium.ts';
import { type Session, signIn } from './session.ts';
import { openSite } from './site.ts';
import { type Client, openUppyPage, type Settings, type UppyPage } from './uppy-page.ts';

type PageOptions = Partial<Omit<Settings, 'browser' | 'site' | 'client' | 'session'>>;

/** A browser, a reverse proxy in front of the API, a user, and pages with Uppy that close with the browser. */
export async function openLab(apiUrl: string) {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
  const [browser, site, account] = await Promise.all([
    chromium.launch({ executablePath: await findChromium(), args }),
    openSite(apiUrl),
    openAccount(apiUrl),
  ]);
  // Logins are rate-limited, so the pages of a user share one.
  const sessions = new Map<Account, Promise<Session>>();
  const sessionOf = (user: Account): Promise<Session> => {
    const session = sessions.get(user) ?? signIn(browser, site, user);
    sessions.set(user, session);
    return session;
  };

  return {
    site,
    account,
    async page(client: Client, options: PageOptions = {}): Promise<UppyPage> {
      const user = options.account ?? account;
      const session = client.connection === 'sameOrigin' ? await sessionOf(user) : undefined;
      return openUppyPage({ browser, site, client, session, ...options, account: user });
    },
    async close(): Promise<void> {
      await browser.close();
      await site.close();
    },
  };
}

export type Lab = Awaited<ReturnType<typeof openLab>>;
