import { fileContentPolicy } from '../../shared/security-headers.ts';
import { corsHeaders } from '../urls/delivered-headers.ts';

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
