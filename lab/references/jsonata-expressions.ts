import * as fc from 'fast-check';

const input = {
  n: 3,
  text: 'ab cd',
  none: null,
  yes: true,
  items: [
    { name: 'x', size: 2, tags: ['a', 'b'] },
    { name: 'y', size: 10, tags: [] },
    { name: 'z', size: 2, tags: ['a'] },
  ],
  map: { a: 1, b: { c: [1, 2, [3]] } },
};

const number = fc.constantFrom('0', '1', '-2', '2.5', '10', '$i.n', '$i.items[0].size', '$i.map.a', '$count($i.items)');
const text = fc.constantFrom('""', '"a"', '"ab cd"', '"é1"', '$i.text', '$i.items[1].name', '$i.items[-1].name');
const lists =
  '[] | [1] | [3,1,2] | ["b","a"] | [1..4] | $i.items | $i.items.size | $i.items.name | $i.items.tags | $i.map.b.c | ' +
  '[[1,2],[3]] | $i.items[size > 2] | $i.items[size = 2].name | $i.items^(>size).name';
const list = fc.constantFrom(...lists.split(' | '));
const map = fc.constantFrom('{}', '{"a":1}', '$i.map', '$i.items[0]', '$i.items{name: size}', '$merge($i.items)');
const other = fc.constantFrom(
  'null',
  'true',
  '$i.yes',
  '$i.none',
  '$i.absent',
  '$i.items.absent',
  '$i.map.*',
  '$i.**.c',
);
const simple = fc.oneof(number, text, list, map, other);

/** Fills the `%` of a text. */
const filled = (form: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.reduce((sum, part) => sum.replace('%', () => part), form));

const lambdas =
  'function($v){$v} | function($v){[$v]} | function($v,$k){$k} | function($v){$string($v)} | $string | $type';
const lambda = fc.constantFrom(...lambdas.split(' | '));
const ofAny = ['$string', '$type', '$exists', '$boolean', '$not', '$count', '$number', '$keys', '$spread', '$distinct'];
const ofList = ['$sum', '$max', '$min', '$average', '$reverse', '$sort', '$count', '$join', '$merge'];
const ofNumber = ['$abs', '$floor', '$ceil', '$round', '$sqrt', '$string'];
const ofText = ['$length', '$uppercase', '$lowercase', '$trim', '$number', '$base64encode', '$encodeUrlComponent'];

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const any = fc.oneof({ maxDepth: 2 }, simple, tie('expression'));
  return {
    expression: fc.oneof(
      { maxDepth: 2 },
      simple,
      filled('%(%)', fc.constantFrom(...ofAny), any),
      filled('%(%)', fc.constantFrom(...ofList), list),
      filled('%(%)', fc.constantFrom(...ofNumber), number),
      filled('%(%)', fc.constantFrom(...ofText), text),
      filled('(%) % (%)', number, fc.constantFrom('+', '-', '*', '/', '%', '<', '<=', '>', '>='), number),
      filled('(%) % (%)', any, fc.constantFrom('=', '!=', 'and', 'or', 'in', '&'), any),
      filled('(%) ? (%) : (%)', any, any, any),
      filled('$substring(%, %)', text, number),
      filled('$split(%, %)', text, text),
      filled('$contains(%, %)', text, text),
      filled('$replace(%, "a", %)', text, text),
      filled('$pad(%, %)', text, number),
      filled('$join(%, %)', list, text),
      filled('$append(%, %)', any, any),
      filled('$lookup(%, "a")', map),
      filled('$map(%, %)', list, lambda),
      filled('$each(%, %)', map, lambda),
      filled('$filter(%, function($v){$v %})', list, fc.constantFrom('= 1', '> 1', '!= "x"')),
      filled('$reduce(%, function($a,$b){$a & $b})', list),
      filled('$sort(%, function($a,$b){$string($a) > $string($b)})', list),
      filled('%[%]', list, number),
      filled('[%, %]', any, any),
      filled('{"k": %, "l": %}', any, any),
    ),
  };
});

/** Expressions of the kinds that state machines use, on one input. */
export const expressions: fc.Arbitrary<string> = expression.map((of) => `($i := ${JSON.stringify(input)}; ${of})`);
