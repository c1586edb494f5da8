import { fileContentPolicy } from '../../shared/security-headers.ts';
import { corsHeaders, preflightHeaders } from '../urls/delivered-headers.ts';

/** The nginx directives that add the headers of each response to a viewer. */
export const commonHeaders = (isTls: boolean): string =>
  [
    ...Object.entries(corsHeaders),
    ['x-content-type-options', 'nosniff'],
    ['cross-origin-resource-policy', 'cross-origin'],
    ['content-security-policy', fileContentPolicy],
    ['referrer-policy', 'no-referrer'],
    ...(isTls ? [['strict-transport-security', 'max-age=31536000']] : []),
  ]
    .map(([name, value]) => `add_header ${name} "${value}" always;`)
    .join('\n    ');

const preflightOnly = Object.entries(preflightHeaders)
  .filter(([name]) => !(name in corsHeaders))
  .map(([name, value]) => ({ name, value, variable: `$preflight_${name.replaceAll('-', '_')}` }));

/** Variables with the headers of a preflight response. They are empty for other requests. */
export const preflightVariables = preflightOnly
  .map(({ value, variable }) => `map $request_method ${variable} {\n  default '';\n  OPTIONS '${value}';\n}`)
  .join('\n');

/** The directives that add these headers. nginx adds no header with an empty value. */
export const addPreflightHeaders = preflightOnly
  .map(({ name, variable }) => `add_header ${name} ${variable} always;`)
  .join('\n    ');
