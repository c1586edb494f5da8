import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { findFaults } from '../../../journey/support/find-faults.ts';
import { type Service, startService } from '../../../journey/support/service.ts';
import { findChromium } from '../../../journey/uppy/find-chromium.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export type Json = any;

export type Person = { name: string; email: string; password: string; token: string };

export type Dashboard = {
  apiUrl: string;
  dataFolder: string;
  /** Creates a user with an API token. */
  createUser(name?: string): Promise<Person>;
  /** Calls the API as a user. */
  call(person: Person, method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }>;
  /** A page of a new browser session until the test ends, signed in unless there is nobody to sign in. */
  open(path: string, who?: { email: string; password: string }, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
};

export const administrator = { email: 'admin@example.com', password: 'a long password' };

/** What the page must never report: errors of scripts, and violations of its content security policy. */
const problems = new WeakMap<Page, string[]>();

/**
 * A service with its dashboard, and Chromium.
 * @param env settings of the service, besides those of all journeys
 */
export async function startDashboard(env: Record<string, string> = {}): Promise<Dashboard> {
  const folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
  const dataFolder = join(folder, 'data');
  const [service, browser] = await Promise.all([
    startService({ dataFolder, env: { ADMIN_PASSWORD: administrator.password, ...env } }),
    findChromium().then((executablePath) => chromium.launch({ executablePath, args: ['--no-sandbox'] })),
  ]);
  const { apiUrl } = service;
  const adminToken = await createToken(apiUrl, administrator);
  return {
    apiUrl,
    dataFolder,
    createUser: (name) => createUser(apiUrl, adminToken, name),
    call: (person, method, path, body) => call(apiUrl, person.token, method, path, body),
    open: (path, who, options) => open(browser, apiUrl, path, who, options),
    close: () => close(service, browser, folder),
  };
}

/** Of one step on a busy machine. */
const longestWaitMs = 240_000;

let people = 0;

async function createUser(apiUrl: string, adminToken: string, name = 'Ada Example'): Promise<Person> {
  const person = { name, email: `person${++people}@example.com`, password: `a long password ${people}` };
  const { status, json } = await call(apiUrl, adminToken, 'POST', '/api/users', person);
  // The service may have carried out a request that it answered with 503, and that was sent again.
  const exists = status === 422 && /already been taken/.test(json.message);
  if (status !== 201 && !exists) throw new Error(`${status} ${JSON.stringify(json)}`);
  return { ...person, token: await createToken(apiUrl, person) };
}

async function createToken(apiUrl: string, { email, password }: { email: string; password: string }): Promise<string> {
  const login = await send(`${apiUrl}/login`, jsonRequest('POST', { email, password }));
  const [cookie = ''] = login.headers.getSetCookie();
  const headers = { cookie: cookie.split(';')[0]! };
  const made = await send(`${apiUrl}/api/tokens`, jsonRequest('POST', { name: 'test' }, headers));
  return ((await made.json()) as { token: string }).token;
}

async function call(apiUrl: string, token: string, method: string, path: string, body?: unknown) {
  const response = await send(apiUrl + path, jsonRequest(method, body, { authorization: `Bearer ${token}` }));
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

/** Sends again while the service is too busy. */
async function send(url: string, request: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(url, request);
    if (response.status !== 503 && response.status !== 429) return response;
    await sleep(1000 * Number(response.headers.get('retry-after') ?? 1));
  }
}

const jsonRequest = (method: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

async function open(
  browser: Browser,
  apiUrl: string,
  path: string,
  who?: { email: string; password: string },
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: apiUrl,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  context.setDefaultTimeout(longestWaitMs);
  const page = await context.newPage();
  // An open page asks again and again: that would use up the requests that its user may make in a minute.
  onTestFinished(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
  const seen: string[] = [];
  problems.set(page, seen);
  page.on('pageerror', (error) => seen.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|Uncaught/.test(message.text())) seen.push(message.text());
  });
  await page.goto(path);
  if (who !== undefined) {
    await page.locator('input[name=email]').fill(who.email);
    await page.locator('input[name=password]').fill(who.password);
    await page.locator('form button[type=submit]').click();
    await page.locator('header.header').waitFor();
  }
  return page;
}

async function close(service: Service, browser: Browser, folder: string): Promise<void> {
  await browser.close();
  await service.stop();
  await rm(folder, { recursive: true });
}

/** What is wrong with the page as it is now: rules of axe-core, a page wider than the window, and errors of scripts. */
export async function faultsOf(page: Page): Promise<unknown[]> {
  const violations = await findFaults(page, { preload: true, iframes: true });
  const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
  return [...violations, ...(isWide ? ['the page scrolls sideways'] : []), ...(problems.get(page) ?? [])];
}

/** The looks in which a screen must be right. */
export const looks: [string, BrowserContextOptions][] = [
  ['320 px, light', { viewport: { width: 320, height: 700 }, colorScheme: 'light' }],
  ['390 px, dark', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' }],
  ['1440 px, dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
];

/** Answers of the service that cannot be had from it at will. */
export const answerWith = (page: Page, path: string | RegExp, status: number, json: unknown = {}) =>
  page.route(
    (url) => (typeof path === 'string' ? url.pathname === path : path.test(url.pathname)),
    (route) => route.fulfill({ status, json }),
  );

/** Holds all requests to a path until the returned function is called. */
export async function hold(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      await promise;
      await route.continue();
    },
  );
  return resolve;
}
