import { createContext, Script } from 'node:vm';
import type { EdgeFunctionDefinition } from '../../template/distributions/read-distributions.ts';
import { type KeyValueReader, runtimeModules } from './runtime-modules.ts';

/** The default quota of AWS for the source of a function. */
const maxSourceBytes = 10 * 1024;

/**
 * Globals of V8 that the runtime does not document. They are removed, so that a function which uses them fails here as
 * well.
 */
const removedGlobals = [
  'AggregateError',
  'Atomics',
  'AsyncDisposableStack',
  'BigInt64Array',
  'BigUint64Array',
  'BigInt',
  'DisposableStack',
  'FinalizationRegistry',
  'Intl',
  'Iterator',
  'Map',
  'Proxy',
  'Reflect',
  'Set',
  'SharedArrayBuffer',
  'SuppressedError',
  'WeakMap',
  'WeakRef',
  'WeakSet',
  'WebAssembly',
];

export type RunFunction = (event: unknown) => unknown;
export type FunctionLog = (line: string) => void;

/**
 * Compiles the code of a CloudFront Function (runtime cloudfront-js-2.0) and returns its handler. Each function has its
 * own context, without timers, network, files and code that is generated from text.
 * @throws for code that is too large, has a syntax error or has no handler
 */
export function compileFunction(
  { arn, code }: Pick<EdgeFunctionDefinition, 'arn' | 'code'>,
  store: KeyValueReader | undefined,
  log: FunctionLog,
): RunFunction {
  const bytes = Buffer.byteLength(code);
  if (bytes > maxSourceBytes) {
    throw new Error(`The code of ${arn} has ${bytes} bytes; CloudFront accepts at most ${maxSourceBytes}.`);
  }
  const modules = runtimeModules(store);
  const write = (...values: unknown[]): void => log(values.map(String).join(' '));
  const context = createContext(
    {
      Buffer,
      TextDecoder,
      TextEncoder,
      console: { log: write, error: write },
      require: (name: string) => {
        if (modules.has(name)) return modules.get(name);
        throw new Error(`Cannot find module "${name}"`);
      },
    },
    { name: arn, codeGeneration: { strings: false, wasm: false } },
  );
  new Script(removedGlobals.map((name) => `delete globalThis.${name};`).join('')).runInContext(context);
  const source = `'use strict';${withoutImports(code)}\n;handler`;
  const handler: unknown = new Script(source, { filename: arn }).runInContext(context);
  if (typeof handler !== 'function') throw new Error(`The code of ${arn} has no function "handler".`);
  return handler as RunFunction;
}

const firstImport = /^\s*import\s+([\w$]+)\s+from\s*(['"][\w/]+['"])\s*;?/;

/** The runtime has default imports of its modules, at the start of the code. `vm.Script` has none. */
function withoutImports(code: string): string {
  let rest = code;
  let requires = '';
  for (let match = firstImport.exec(rest); match; match = firstImport.exec(rest)) {
    requires += `const ${match[1]} = require(${match[2]});`;
    rest = rest.slice(match[0].length);
  }
  return requires + rest;
}
