import { expect, test } from 'vitest';
import { cmcdArgument } from '../../../delivery/urls/cmcd-argument.ts';

const found = (query: string): string | undefined => cmcdArgument.exec(`/path${query}`)?.groups?.url_cmcd;
const token = `k1.9999999999.session.${'a'.repeat(43)}`;

test.each([
  ['an encoded value', '?CMCD=bl%3D2100%2Csid%3D%22a%22', 'bl%3D2100%2Csid%3D%22a%22'],
  ['a value that is not encoded where a query need not be', "?CMCD=bl=2100,sid=%22it's%22", "bl=2100,sid=%22it's%22"],
  ['the value between other arguments', '?a=1&CMCD=bl&b=2', 'bl'],
  ['the first of several', '?CMCD=one&CMCD=two', 'one'],
  ['2,000 characters', `?CMCD=${'x'.repeat(2000)}`, 'x'.repeat(2000)],
])('finds %s', (_, query, cmcd) => {
  expect(found(query)).toBe(cmcd);
});

test.each([
  ['without a query', ''],
  ['of another argument', '?XCMCD=1&CMCDX=2&cmcd=3'],
  ['without a value', '?CMCD=&CMCD'],
  ['of 2,001 characters', `?CMCD=${'x'.repeat(2001)}`],
  ['with a quotation mark', '?CMCD=sid="a"'],
  ['with a line break', '?CMCD=a\nb'],
  ['with a control character', '?CMCD=a\u0001b'],
  ['with letters beyond ASCII', '?CMCD=ä'],
  ['with the token of a signed URL', `?CMCD=nor%3D%22..%2F${token}%2Fvideos%2F1.m4s%22`],
  ['with such a token that is encoded twice', `?CMCD=nor%3D%22%252Fs%252F${token}%22`],
])('finds no value %s', (_, query) => {
  expect(found(query)).toBeUndefined();
});
