import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isLogLevel, type LogLevel } from 'embedded-aws';
import { z } from 'zod';
import { CannotStart } from './server/cannot-start.ts';
import { type PublicAddress, readPublicAddress } from './server/public-address.ts';

export const help = `Runs the video service on this machine.

  npm start                  start, print the address of the dashboard, run until Ctrl-C
  npm start -- --demo        the same, then take a short clip through it and print URLs that play
  npm start -- FILE…         the same with your own files
  npm start -- --help        this text

Settings, by environment:
  PORT            of dashboard, API and playback; the store has the one after it (3000)
  DATA_DIR        holds all state (.data)
  ADMIN_EMAIL     of the first administrator (admin@example.com)
  ADMIN_PASSWORD  at least 8 characters; if absent, one is generated and printed once
  ADMIN_PASSWORD_FILE
                  the same in a file, such as a secret of a container
  WORKERS         encode processes at a time; 0: only registered workers encode (the number of cores, at most 4)
  WORKER_TOKEN_FILE
                  is written: the token with which workers in other containers encode (none); see docs/docker.md
  WORKER_NETWORK  network of these workers, which may connect; with LISTEN=container (none)
  LOG_LEVEL       DEBUG, INFO, WARN, ERROR or SILENT (ERROR)
  NODE_SSH_PORT   where the SSH servers of registered nodes listen (22)
  REGISTRATION    on: anyone who reaches the API can create an account with POST /register (off)
  COUNT_VIEWS     off: access logs are counted for all videos together only, not by video and viewer (on)
  ALLOW_LOOPBACK_TARGETS
                  on: webhooks and ingests of every user may connect to this machine, for tests (off);
                  not with PUBLIC_URL
  CHAOS           on: rare behaviours of AWS occur often, for tests; new-account: the quotas of a new AWS account; see
                  embedded-aws/docs/behaviours.md (off)
  TRANSCRIPTION_MODEL
                  file with a Whisper model, with which workers make captions from speech (none); see
                  docs/captions.md
  TRANSCRIPT_SEARCH
                  on: in=transcript of the list of videos finds words of captions (off); see docs/captions.md
  WORKER_IMAGE    image with digest that registered workers run; there is no local registry (none)
  PROXY_IMAGE     the same for registered proxies, which must be on this machine (none)
  ACME_DIRECTORY  URL of the authority that issues the certificates of registered proxies (Let's Encrypt)
  NODE_CA         PEM file with private authorities that registered nodes trust, such as that of PUBLIC_URL (none)
  PUBLIC_URL      HTTPS address of dashboard, API and playback behind a reverse proxy (none); see docs/public-server.md
  PUBLIC_STORE_URL
                  HTTPS address of the store (store. before the host of PUBLIC_URL)
  ALLOWED_ORIGINS of pages that may use the API and the store, by commas, besides PUBLIC_URL (none)
  LISTEN          IPv4 address to listen on (127.0.0.1); container: published ports of a container (in the image)
  TRUSTED_PROXIES addresses and networks of reverse proxies, by commas (with PUBLIC_URL: this machine)
`;

export type Options = PublicAddress & {
  help: boolean;
  demo: boolean;
  files: string[];
  port: number;
  dataFolder: string;
  adminEmail: string;
  adminPassword: string | undefined;
  workers: number | undefined;
  workerTokenFile: string | undefined;
  logLevel: LogLevel;
  nodeSshPort: number;
  registration: 'on' | 'off';
  countViews: 'on' | 'off';
  transcriptSearch: 'on' | 'off';
  loopbackTargets: 'on' | 'off';
  chaos: 'off' | 'on' | 'new-account';
  /** file */
  transcriptionModel: string | undefined;
  workerImage: string | undefined;
  proxyImage: string | undefined;
  acmeDirectory: string | undefined;
  /** PEM */
  nodeCertificates: string | undefined;
};

/**
 * Reads the arguments and the environment.
 * @throws CannotStart for an invalid one
 */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options {
  const { values, positionals } = parsed(args);
  const setting = (name: string, fallback: string) => environment[name] || fallback;
  const adminEmail = setting('ADMIN_EMAIL', 'admin@example.com');
  if (!z.email().safeParse(adminEmail).success)
    throw new CannotStart(`ADMIN_EMAIL is not an e-mail address: ${adminEmail}.`);
  const logLevel = setting('LOG_LEVEL', 'ERROR').toUpperCase();
  if (!isLogLevel(logLevel)) throw new CannotStart(`LOG_LEVEL is DEBUG, INFO, WARN, ERROR or SILENT, not ${logLevel}.`);
  const onOff = (name: string, otherwise: 'on' | 'off' = 'off'): 'on' | 'off' => {
    const value = setting(name, otherwise);
    if (value !== 'on' && value !== 'off') throw new CannotStart(`${name} is on or off, not ${value}.`);
    return value;
  };
  const chaos = setting('CHAOS', 'off');
  if (chaos !== 'on' && chaos !== 'off' && chaos !== 'new-account') {
    throw new CannotStart(`CHAOS is on, off or new-account, not ${chaos}.`);
  }
  const registration = onOff('REGISTRATION');
  const countViews = onOff('COUNT_VIEWS', 'on');
  const transcriptSearch = onOff('TRANSCRIPT_SEARCH');
  const loopbackTargets = onOff('ALLOW_LOOPBACK_TARGETS');
  const publicAddress = readPublicAddress(environment);
  if (loopbackTargets === 'on' && publicAddress.publicUrls) {
    throw new CannotStart(
      'ALLOW_LOOPBACK_TARGETS is on: each user could read what this machine serves to itself only. With PUBLIC_URL, leave it out.',
    );
  }
  return {
    help: values.help,
    demo: values.demo,
    files: positionals,
    // The store has the next port.
    port: wholeNumber('PORT', setting('PORT', '3000'), 65_534),
    dataFolder: setting('DATA_DIR', '.data'),
    adminEmail,
    adminPassword: readPassword(environment),
    workers: environment.WORKERS ? wholeNumber('WORKERS', environment.WORKERS, 64, 0) : undefined,
    workerTokenFile: environment.WORKER_TOKEN_FILE || undefined,
    logLevel,
    nodeSshPort: wholeNumber('NODE_SSH_PORT', setting('NODE_SSH_PORT', '22'), 65_535),
    registration,
    countViews,
    transcriptSearch,
    loopbackTargets,
    chaos,
    transcriptionModel: environment.TRANSCRIPTION_MODEL || undefined,
    workerImage: image('WORKER_IMAGE', environment),
    proxyImage: image('PROXY_IMAGE', environment),
    acmeDirectory: directory(environment.ACME_DIRECTORY),
    nodeCertificates: certificates(environment.NODE_CA),
    ...publicAddress,
  };
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h', default: false }, demo: { type: 'boolean', default: false } },
    });
  } catch (error) {
    throw new CannotStart(`${(error as Error).message.split('. ')[0]}: see npm start -- --help.`);
  }
}

function readPassword({ ADMIN_PASSWORD, ADMIN_PASSWORD_FILE: file }: NodeJS.ProcessEnv): string | undefined {
  if (ADMIN_PASSWORD && file) {
    throw new CannotStart('ADMIN_PASSWORD and ADMIN_PASSWORD_FILE are both set: leave one of them out.');
  }
  // Editors and shells end the last line of a file.
  const password = file ? readSetting('ADMIN_PASSWORD_FILE', file).replace(/\r?\n$/, '') : ADMIN_PASSWORD || undefined;
  if (password === undefined || password.length >= 8) return password;
  const subject = file ? `The password in ADMIN_PASSWORD_FILE ${file}` : 'ADMIN_PASSWORD';
  throw new CannotStart(`${subject} is too short: set one of at least 8 characters.`);
}

function readSetting(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotStart(`${name} is a file, and ${file} cannot be read (${code}).`);
  }
}

function wholeNumber(name: string, text: string, largest: number, least = 1): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= largest) return number;
  throw new CannotStart(`${name} is a whole number from ${least} to ${largest}, not ${text}.`);
}

function image(name: string, { [name]: text }: NodeJS.ProcessEnv): string | undefined {
  if (!text || /@sha256:[0-9a-f]{64}$/.test(text)) return text || undefined;
  throw new CannotStart(`${name} is an image with its digest, not ${text}.`);
}

/** With the characters that a step sends to a node. */
function directory(text: string | undefined): string | undefined {
  if (!text || /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/[A-Za-z0-9._~/-]*)?$/.test(text)) return text || undefined;
  throw new CannotStart(`ACME_DIRECTORY is the URL of an ACME authority, not ${text}.`);
}

function certificates(file: string | undefined): string | undefined {
  if (!file) return undefined;
  const text = readSetting('NODE_CA', file);
  try {
    if (new X509Certificate(text).ca) return text;
  } catch {
    // It is no certificate.
  }
  throw new CannotStart(`NODE_CA is a PEM file with certificates of authorities, and ${file} has none.`);
}
