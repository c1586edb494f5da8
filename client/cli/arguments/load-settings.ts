import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { usageError } from '../exit-code.ts';
import type { OptionValues } from './parse-command-line.ts';
import { textOption } from './read-options.ts';
import { type Environment, isUnencrypted, mergeSettings, parseConfigFile } from './settings.ts';

export type LoadedSettings = { url: string; token: string; template: string | undefined; warnings: string[] };

/**
 * Reads configuration and token files and merges all settings.
 * @throws CommandError for a setting that is missing or wrong
 */
export async function loadSettings(options: OptionValues, environment: Environment): Promise<LoadedSettings> {
  const given = textOption(options, 'config') ?? (environment.OPEN_VIDEO_SERVICE_CONFIG || undefined);
  const path = given === undefined ? join(configFolder(environment), 'config.json') : resolve(given);
  const text = await readText(path, given === undefined);
  const contents = text === undefined ? {} : parseConfigFile(path, text);
  const { url, token, template } = mergeSettings(options, environment, { path, contents });
  const secretFiles = contents.token === undefined ? [] : [path];
  let secret: string;
  if ('token' in token) secret = token.token;
  else {
    const tokenPath = token.ofConfigFile ? resolve(dirname(path), token.file) : resolve(token.file);
    secret = (await readText(tokenPath, false))!.trim();
    secretFiles.push(tokenPath);
  }
  if (!/^[\x21-\x7e]{1,512}$/.test(secret)) throw usageError('The API token is empty or has characters of no token.');
  const warnings = (await Promise.all(secretFiles.map(warningOf))).flat();
  if (isUnencrypted(url)) warnings.push(`The token is sent to ${url} without encryption. Use https.`);
  return { url, token: secret, template, warnings };
}

export const configFolder = (environment: Environment): string =>
  join(environment.XDG_CONFIG_HOME || join(homeOf(environment), '.config'), 'open-video-service');

export const stateFolder = (environment: Environment): string =>
  join(environment.XDG_STATE_HOME || join(homeOf(environment), '.local/state'), 'open-video-service');

const homeOf = (environment: Environment): string => environment.HOME || homedir();

async function readText(path: string, mayBeAbsent: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (mayBeAbsent && code === 'ENOENT') return undefined;
    throw usageError(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`);
  }
}

const readableByOthers = 0o044;

async function warningOf(path: string): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const { mode } = await stat(path);
  return mode & readableByOthers ? [`Other users can read the token in ${path}: chmod 600 '${path}'`] : [];
}
