import { buildSync } from 'esbuild';
import { repositoryRoot } from '../repository-root.ts';

/** CloudFront expects the imports in the first lines. */
const imported = /\bimport \w+ from\s*"\w+";/g;
const exported = /export\s*\{\s*handler\s*\};?\s*$/;

/**
 * The code of a CloudFront Function of this folder, bundled with the modules that it imports. CloudFront calls the
 * function `handler` of a script without exports.
 */
export function edgeFunctionCode(name: 'viewer-address' | 'viewer-request' | 'viewer-response'): string {
  const { outputFiles } = buildSync({
    absWorkingDir: repositoryRoot,
    entryPoints: [`delivery/edge/${name}.js`],
    bundle: true,
    write: false,
    format: 'esm',
    // The modules of the runtime.
    external: ['cloudfront', 'crypto'],
    // The newest language version whose syntax the runtime has, apart from what the sources avoid.
    target: 'es2018',
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const code = outputFiles[0]!.text;
  if (!exported.test(code)) throw new Error(`delivery/edge/${name}.js must export only its function handler`);
  const withoutExport = code.replace(exported, '');
  return [...withoutExport.matchAll(imported), withoutExport.replace(imported, '')].join('');
}
