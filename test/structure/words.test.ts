import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { labModules, modules } from './modules.ts';

type Node = { type: string; [field: string]: unknown };

/** Words that each stood for several terms, with the terms to use instead. */
const terms: Readonly<Record<string, string>> = {
  answer: 'response (HTTP), result or output (a process, a function), reply (a person)',
  fact: 'properties, metadata, or what they are',
  place: 'position, location, offset or index',
};
const houseWord = /^(answer|fact|place)s?$/;
/** Most files have none of the words, and parsing takes long. */
const mayDeclare = /[aA]nswers?(?![a-z])|[fF]acts?(?![a-z])|[pP]laces?(?![a-z])/;

/** `facts` is a field of the contract (a decision), of results of workers and of a stored line of a journal. */
const hasStoredFacts = [
  'client/api-types.ts',
  'client/texts/',
  'shared/protocol/encode-spec.ts',
  'functions/job-results/packaged-track.ts',
  'embedded-aws/src/step-functions/execution/journal-line.ts',
];

describe('names do not have a house word', () => {
  test.each([
    ['const answer = await fetch(url);', ['answer']],
    ['const { status, body: rawAnswer } = call();', ['rawAnswer']],
    ['function answerJson({ facts = [] }: Sent, ...places: string[]) {}', ['answerJson', 'facts', 'places']],
    ['type HealthFacts<Answer> = { answers: boolean };', ['HealthFacts', 'Answer', 'answers']],
    ['const find = (place) => ({ answer: 1 });', ['place']],
    ['const answered = replace(factory, placed, facts);', []],
  ])('%s', (text, found) => {
    expect(houseWordsIn(text).toSorted()).toEqual(found.toSorted());
  });

  test('in no module of the product or the lab', () => {
    const found = [...modules, ...labModules].flatMap((path) =>
      houseWordsIn(readFileSync(path, 'utf8'), path)
        .filter((name) => wordOf(name) !== 'fact' || !hasStoredFacts.some((start) => path.startsWith(start)))
        .map((name) => `${path} declares ${name}: use ${terms[wordOf(name)!]}`),
    );
    expect(found).toEqual([]);
  });
});

/** The house word of a name in camel case. */
function wordOf(name: string): string | undefined {
  const word = name.split(/(?=[A-Z])|[_-]/).find((each) => houseWord.test(each.toLowerCase()));
  return word?.toLowerCase().replace(/s$/, '');
}

/** Names with a house word that a module declares: variables, parameters, functions, types and their members. */
function houseWordsIn(text: string, path = 'example.ts'): string[] {
  if (!mayDeclare.test(text)) return [];
  const names: string[] = [];
  const declare = (pattern: unknown): void => {
    const node = pattern as Node | null | undefined;
    if (node?.type === 'Identifier') names.push(node.name as string);
    else if (node?.type === 'ObjectPattern') declareAll((node.properties as Node[]).map((one) => one.value ?? one));
    else if (node?.type === 'ArrayPattern') declareAll(node.elements);
    else if (node?.type === 'AssignmentPattern') declare(node.left);
    else if (node?.type === 'RestElement') declare(node.argument);
    else if (node?.type === 'TSParameterProperty') declare(node.parameter);
  };
  const declareAll = (patterns: unknown): void => {
    for (const pattern of patterns as unknown[]) declare(pattern);
  };
  const visit = (node: Node): void => {
    if (node.type === 'VariableDeclarator' || /^(Function|Class|TSTypeAlias|TSInterface)/.test(node.type)) {
      declare(node.id);
    }
    if (Array.isArray(node.params)) declareAll(node.params);
    if (/^(TSPropertySignature|TSMethodSignature|PropertyDefinition|MethodDefinition)$/.test(node.type)) {
      declare(node.key);
    }
    if (node.type === 'TSTypeParameter') declare(node.name);
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
  };
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node);
  return names.filter((name) => wordOf(name) !== undefined);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
