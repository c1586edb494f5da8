import { usageError } from '../exit-code.ts';
import type { OptionValues } from './parse-command-line.ts';
import { textOption } from './read-options.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The contents of the configuration file. */
export type ConfigFile = { url?: string; token?: string; token_file?: string; template?: string };

/** Where a token comes from. */
export type TokenSource = { token: string } | { file: string; ofConfigFile: boolean };

export type Settings = { url: string; token: TokenSource; template: string | undefined };

const names = ['url', 'token', 'token_file', 'template'] as const;

const variables = {
  url: 'OPEN_VIDEO_SERVICE_URL',
  token: 'OPEN_VIDEO_SERVICE_TOKEN',
  token_file: 'OPEN_VIDEO_SERVICE_TOKEN_FILE',
  template: 'OPEN_VIDEO_SERVICE_TEMPLATE',
} as const satisfies Record<(typeof names)[number], string>;

/**
 * Merges the settings: an option has precedence over an environment variable, and this one over the file. A token is
 * sent to the service that it belongs to only: one of the file is not used with another address than that of the file.
 * @throws CommandError for a setting that is missing or wrong
 */
export function mergeSettings(
  options: OptionValues,
  environment: Environment,
  file: { path: string; contents: ConfigFile },
): Settings {
  const url = firstOf('url', options, environment) ?? file.contents.url;
  if (url === undefined) {
    throw usageError(
      `The address of the service is missing: pass --url, or set ${variables.url} or url in ${file.path}.`,
    );
  }
  const given =
    tokenOf(optionSettings(options), '--token and --token-file') ??
    tokenOf(environmentSettings(environment), `${variables.token} and ${variables.token_file}`);
  const kept = tokenOf(file.contents, `token and token_file in ${file.path}`, true);
  const base = originOf(url);
  if (given === undefined && kept !== undefined && file.contents.url !== undefined) {
    if (originOf(file.contents.url) !== base) {
      throw usageError(
        `The token in ${file.path} is for ${file.contents.url}. Pass the token for ${url}: --token-file.`,
      );
    }
  }
  const token = given ?? kept;
  if (token === undefined) {
    const choices = `set ${variables.token}, pass --token-file, or put token into ${file.path}`;
    throw usageError(`The API token is missing: create one in the dashboard (Account), then ${choices}.`);
  }
  return { url: base, token, template: firstOf('template', options, environment) ?? file.contents.template };
}

const optionSettings = (options: OptionValues): ConfigFile => ({
  ...defined('token', textOption(options, 'token')),
  ...defined('token_file', textOption(options, 'token-file')),
});

const environmentSettings = (environment: Environment): ConfigFile => ({
  ...defined('token', environment[variables.token] || undefined),
  ...defined('token_file', environment[variables.token_file] || undefined),
});

const defined = (name: keyof ConfigFile, value: string | undefined): ConfigFile =>
  value === undefined ? {} : { [name]: value };

function firstOf(name: 'url' | 'template', options: OptionValues, environment: Environment): string | undefined {
  return textOption(options, name) ?? (environment[variables[name]] || undefined);
}

function tokenOf({ token, token_file: file }: ConfigFile, both: string, ofConfigFile = false): TokenSource | undefined {
  if (token !== undefined && file !== undefined) throw usageError(`Set one of ${both}, not both.`);
  if (token !== undefined) return { token };
  return file === undefined ? undefined : { file, ofConfigFile };
}

/** The address without a slash at its end. */
function originOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isOrigin = parsed !== undefined && parsed.search === '' && parsed.hash === '' && parsed.username === '';
  if (!isOrigin || !/^https?:$/.test(parsed.protocol) || !/^\/*$/.test(parsed.pathname)) {
    throw usageError(`The address of the service is like https://video.example.com, not '${url}'.`);
  }
  return parsed.origin;
}

/** Whether a token would be sent over a network without encryption. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** @throws CommandError unless it is an object with texts of known names */
export function parseConfigFile(path: string, text: string): ConfigFile {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw usageError(`${path} is not a JSON object such as {"url": "https://video.example.com", "token": "…"}.`);
  }
  for (const [name, value] of Object.entries(parsed)) {
    if (!names.some((known) => known === name)) {
      throw usageError(`${path} has the unknown setting '${name}'. Known are ${names.join(', ')}.`);
    }
    if (typeof value !== 'string' || value === '') throw usageError(`${name} in ${path} must be a text.`);
  }
  return parsed as ConfigFile;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
