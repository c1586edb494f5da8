import type { Browser, BrowserContext } from 'playwright-core';
import type { Account } from './account.ts';
import type { Site } from './site.ts';

/** The cookies of a login. */
export type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Signs a user in as a page of the API's origin does. */
export async function signIn(browser: Browser, site: Site, { email, password }: Account): Promise<Session> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(site.origin);
  const login = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  };
  const status = await page.evaluate<number>(`fetch('/login', ${JSON.stringify(login)}).then(({ status }) => status)`);
  if (status !== 200) throw new Error(`no session: ${status}`);
  const session = await context.storageState();
  await context.close();
  return session;
}
