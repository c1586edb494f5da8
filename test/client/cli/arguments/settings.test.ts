import { describe, expect, test } from 'vitest';
import {
  type ConfigFile,
  isUnencrypted,
  mergeSettings,
  parseConfigFile,
} from '../../../../client/cli/arguments/settings.ts';

const path = '/home/ada/.config/open-video-service/config.json';
const file: ConfigFile = { url: 'https://file.test', token: 'of-file', template: 'file' };
const environment = {
  OPEN_VIDEO_SERVICE_URL: 'https://environment.test/',
  OPEN_VIDEO_SERVICE_TOKEN: 'of-environment',
  OPEN_VIDEO_SERVICE_TEMPLATE: 'environment',
};
const options = { url: 'https://option.test', token: 'of-option', template: 'option' };
const merge = (given: object, variables: Record<string, string>, contents: ConfigFile) =>
  mergeSettings(given as never, variables, { path, contents });

test('an option has precedence over the environment, and this one over the file', () => {
  expect(merge(options, environment, file)).toEqual({
    url: 'https://option.test',
    token: { token: 'of-option' },
    template: 'option',
  });
  expect(merge({}, environment, file)).toEqual({
    url: 'https://environment.test',
    token: { token: 'of-environment' },
    template: 'environment',
  });
  expect(merge({}, {}, file)).toEqual({ url: 'https://file.test', token: { token: 'of-file' }, template: 'file' });
});

test('a token file of a higher place hides a token of a lower one', () => {
  const settings = merge({ 'token-file': 'secret' }, environment, file);
  expect(settings.token).toEqual({ file: 'secret', ofConfigFile: false });
  expect(merge({}, {}, { url: file.url!, token_file: 't' }).token).toEqual({ file: 't', ofConfigFile: true });
});

test('the token of the file is sent to the address of the file only', () => {
  expect(() => merge({ url: 'https://other.test' }, {}, file)).toThrow(
    `The token in ${path} is for https://file.test. Pass the token for https://other.test: --token-file.`,
  );
  expect(merge({ url: 'https://other.test' }, {}, { token: 'any' }).token).toEqual({ token: 'any' });
});

test.each([
  [{}, {}, {}, 'The address of the service is missing: pass --url, or set OPEN_VIDEO_SERVICE_URL or url in'],
  [{ url: 'https://a.test' }, {}, {}, 'The API token is missing: create one in the dashboard'],
  [{ url: 'a.test', token: 't' }, {}, {}, "is like https://video.example.com, not 'a.test'"],
  [{ url: 'https://a.test/api', token: 't' }, {}, {}, 'is like https://video.example.com'],
  [{ url: 'https://u@a.test', token: 't' }, {}, {}, 'is like https://video.example.com'],
  [{ url: 'ftp://a.test', token: 't' }, {}, {}, 'is like https://video.example.com'],
  [{ url: '' }, {}, file, '--url has no value.'],
  [{ ...options, 'token-file': 'f' }, {}, {}, 'Set one of --token and --token-file, not both.'],
])('%j is refused with what to do', (given, variables, contents, message) => {
  expect(() => merge(given, variables, contents)).toThrow(message);
});

test.each([
  ['http://127.0.0.1:3000', false],
  ['http://localhost:3000', false],
  ['http://[::1]:3000', false],
  ['https://a.test', false],
  ['http://a.test', true],
  ['http://localhost.a.test', true],
])('%s needs a warning about encryption: %s', (url, expected) => {
  expect(isUnencrypted(url)).toBe(expected);
});

describe('the configuration file', () => {
  test('is an object of known texts', () => {
    expect(parseConfigFile(path, JSON.stringify(file))).toEqual(file);
  });
  test.each([
    ['{', 'is not a JSON object such as'],
    ['[]', 'is not a JSON object such as'],
    ['{"tokn":"1"}', "has the unknown setting 'tokn'. Known are url, token, token_file, template."],
    ['{"url":1}', 'must be a text.'],
  ])('%s is refused', (text, message) => {
    expect(() => parseConfigFile(path, text)).toThrow(message);
  });
});
