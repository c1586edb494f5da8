import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCmcd } from '../../../functions/views/cmcd.ts';

const read = (text: string) => readCmcd(encodeURIComponent(text));

describe('version 1', () => {
  test('keys are read from the query argument as players send it', () => {
    expect(
      read('bl=21300,br=3200,bs,cid="faec5fc2",d=4004,mtp=25400,ot=v,pr=1.5,sid="6e2fb550-c457",su,tb=6000'),
    ).toEqual({
      version: 1,
      sessionId: '6e2fb550-c457',
      objectType: 'v',
      durationMilliseconds: 4004,
      bitrateKbps: 3200,
      isStarved: true,
      isUrgent: true,
      bufferMilliseconds: 21_300,
      playbackRate: 1.5,
    });
  });

  test('a text in quotes may have separators and escaped quotes', () => {
    expect(read('nor="a\\"b,c=1.m4s",sid="x"')).toEqual({ version: 1, sessionId: 'x' });
  });
});

describe('version 2', () => {
  test('lists have a value for each type of object, and that of the requested one is used', () => {
    expect(read('br=(5000;v 128;a),bl=(1200),ot=v,v=2')).toMatchObject({ bitrateKbps: 5000, bufferMilliseconds: 1200 });
    expect(read('br=(5000;v 128;a),ot=a,v=2')).toMatchObject({ version: 2, bitrateKbps: 128 });
  });

  test('start, waiting, errors and the failed state are read', () => {
    expect(read('bsd=(3000),bsda=(7000),ec=("E1" "E,2"),msd=850,ot=av,sta=f,v=2')).toEqual({
      version: 2,
      objectType: 'av',
      stalledMilliseconds: 3000,
      totalStalledMilliseconds: 7000,
      errors: 2,
      startupMilliseconds: 850,
      hasFailed: true,
    });
    expect(read('ec="E1",sta=p,v=2')).toMatchObject({ errors: 1 });
  });
});

test('waiting is the sum of its periods, whatever they are caused by, at most an hour', () => {
  expect(read('bsd=(3012 450),bsda=(3012;v 450;a),v=2')).toMatchObject({
    stalledMilliseconds: 3462,
    totalStalledMilliseconds: 3462,
  });
  expect(read('bsd=(3600001 450),v=2')).toMatchObject({ stalledMilliseconds: 450 });
  expect(read('bsd=(3600000 3600000),v=2')).toMatchObject({ stalledMilliseconds: 3_600_000 });
});

test('a space may be a plus, as in forms, and a plus is percent-encoded', () => {
  const query = new URLSearchParams({ CMCD: 'bsd=(3012 450),sid="a+b",v=2' }).toString();
  expect(query).toContain('(3012+450)'.replace('(', '%28').replace(')', '%29'));
  expect(readCmcd(query.slice('CMCD='.length))).toMatchObject({ stalledMilliseconds: 3462, sessionId: 'a+b' });
});

describe('what cannot be right is left out', () => {
  test.each([
    ['numbers beyond their bounds', 'br=1000001,d=3600001,msd=600001,bl=-1,pr=101', {}],
    ['numbers in quotes and texts for numbers', 'br="3200",d=long,sta="f"', {}],
    ['unknown keys and tokens', 'x-evil=1,ot=zz,com.example-key="a",bl=7', { bufferMilliseconds: 7 }],
    ['a session ID with other characters or of more than 64', `sid="a b"`, {}],
    ['a long session ID', `sid="${'x'.repeat(65)}"`, {}],
    ['what follows an error of the form', 'bl=5,sid="open', { bufferMilliseconds: 5 }],
    ['a flag with a value', 'bs=?0,bl=5', {}],
  ])('%s', (_, text, expected) => {
    expect(read(text) ?? {}).toEqual(
      Object.keys(expected).length > 0 ? { version: 1, ...expected } : expect.anything(),
    );
    const { version: _version, ...fields } = read(text) ?? { version: 1 };
    expect(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))).toEqual(expected);
  });

  test('an argument that is too long, or not encoded as UTF-8', () => {
    expect(readCmcd(`bl=1,${'x'.repeat(2000)}`)).toBeUndefined();
    expect(readCmcd('bl%3D1%FF')).toBeUndefined();
    expect(readCmcd('')).toBeUndefined();
  });
});

test('any text is read within bounds, without an error', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        'br=',
        'sid="',
        '"',
        '(',
        ')',
        ',',
        ';v',
        '\\',
        'bs',
        'ec=(',
        'msd=',
        'bsda=',
        '=',
        ' ',
        '%2',
        '%',
      ),
      fc.nat(2_000_000).map(String),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(pieces, fc.boolean(), (parts, isEncoded) => {
      const text = parts.join('');
      const found = isEncoded ? read(text) : readCmcd(text);
      if (!found) return;
      expect([1, 2]).toContain(found.version);
      expect(found.sessionId ?? 'x').toMatch(/^[\w.:~+/=-]{1,64}$/);
      for (const [name, largest] of [
        ['bitrateKbps', 1_000_000],
        ['durationMilliseconds', 3_600_000],
        ['bufferMilliseconds', 3_600_000],
        ['stalledMilliseconds', 3_600_000],
        ['totalStalledMilliseconds', 3_600_000],
        ['startupMilliseconds', 600_000],
        ['errors', 10],
      ] as const) {
        const { [name]: value = 0 } = found;
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(largest);
      }
    }),
    { numRuns: 500 },
  );
});
