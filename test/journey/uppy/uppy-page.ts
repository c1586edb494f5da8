import type { Browser, Request } from 'playwright-core';
import type { Account } from './account.ts';
import type { Major } from './bundle.ts';
import { callName } from './call-name.ts';
import type { Session } from './session.ts';
import type { Site } from './site.ts';

/** How a page reaches the API; names as in the page. */
export type Client = { major: Major; connection: 'readme' | 'endpoint' | 'sameOrigin' | 'fetchWrapper' };

export type Settings = {
  browser: Browser;
  site: Site;
  client: Client;
  account: Account;
  /** needed when the page has the API's origin */
  session?: Session | undefined;
  /** instead of the account's token */
  token?: string;
  /** Uploads every file in parts, which is not Uppy's default. */
  inParts?: boolean;
  /** Resumes uploads after a reload (6.3.1 only). */
  restores?: boolean;
  /** for all files; the account's template by default */
  meta?: object;
};

export type AddedFile = { name: string; bytes: number; type?: string; meta?: object };

type FileState = {
  name: string;
  error: string | null;
  complete: boolean;
  body: { key: string; location: string; ulid?: string } | null;
  uploadId: string | null;
};

/** A page with Uppy. `calls` are the finished requests of its uploads, with the status of failed ones. */
export type UppyPage = Awaited<ReturnType<typeof openUppyPage>>;

export async function openUppyPage({ browser, site, client, account, session, ...options }: Settings) {
  const { token = account.token, meta = { template: account.template }, inParts, restores } = options;
  const context = await browser.newContext(session && { storageState: session });
  const page = await context.newPage();
  const calls: string[] = [];
  const complaints: string[] = [];
  const siteOrigins = [site.origin, site.otherOrigin];
  const note = (request: Request, status: number | string): void => {
    const name = callName(request.method(), request.url(), siteOrigins);
    if (name) calls.push(status === 200 || status === 201 ? name : `${name} ${status}`);
  };
  // Not `requestfinished`, which waits until the page has read the body.
  page.on('response', (response) => note(response.request(), response.status()));
  page.on('requestfailed', (request) => request.existingResponse() ?? note(request, 'lost'));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));

  const run = <Result>(code: string): Promise<Result> => page.evaluate<Result>(code);
  const isReady = () => page.waitForFunction('globalThis.ready');

  const sameOrigin = client.connection === 'sameOrigin';
  const settings = {
    ...client,
    api: site.origin,
    token,
    meta,
    pluginOptions: inParts ? { shouldUseMultipart: true } : {},
    restores,
  };
  await page.goto(
    `${sameOrigin ? site.origin : site.otherOrigin}/page?${encodeURIComponent(JSON.stringify(settings))}`,
  );
  await isReady();

  return {
    calls,
    /** errors and warnings of the browser's console */
    complaints,
    run,
    add: (file: AddedFile): Promise<void> => run(`add(${JSON.stringify(file)})`),
    look: () => run<{ shown: string[]; files: FileState[] }>('look()'),
    /** Starts the added files and waits until each is uploaded or has failed. */
    async upload(): Promise<FileState[]> {
      await run('uppy.upload().then(() => {})');
      return (await run<{ files: FileState[] }>('look()')).files;
    },
    async reload(): Promise<void> {
      await page.reload();
      await isReady();
    },
    /** Opens another page in the same browser. */
    visit: (address: string): Promise<unknown> => page.goto(address),
    close: () => context.close(),
  };
}
