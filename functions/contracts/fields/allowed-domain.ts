import { parse } from 'tldts';
import * as z from 'zod';
import { publishedAs } from './fields.ts';

/** The domains become a response header and part of a token. */
export const maxAllowedDomains = 10;

/** Longest name in DNS, with a port. */
const maxCharacters = 259;

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';

/** It admits none of the characters that have a meaning in a Content-Security-Policy, and no `*` alone. */
const form = new RegExp(`^(\\*\\.)?(${label}\\.){0,8}${label}(:[1-9][0-9]{0,4})?$`);

/** Not every subdomain of `com`, `co.uk` or `github.io`, under which everyone can have pages (public suffix list). */
function isOfOneOwner(domain: string): boolean {
  if (!domain.startsWith('*.')) return true;
  const [name = ''] = domain.slice(2).split(':');
  const { publicSuffix, isIcann, isPrivate } = parse(name, { allowPrivateDomains: true });
  return publicSuffix !== name || !(isIcann || isPrivate);
}

/**
 * A domain whose pages may frame a player: `example.com`, or `*.example.com` for every subdomain, both with an optional
 * port.
 */
export const allowedDomain = z
  .string()
  .max(maxCharacters)
  .toLowerCase()
  .regex(form, { error: 'An allowed domain must be a name such as example.com, *.example.com or localhost:3000.' })
  .refine(isOfOneOwner, {
    error: 'An allowed domain such as *.com has the pages of everyone. Name the domain below it.',
  })
  .meta(publishedAs({ type: 'string', maxLength: maxCharacters, pattern: form.source }));
