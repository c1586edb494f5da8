import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** The versions that `unused` was written for. The build fails with others. */
const versions: Record<string, string> = { ssh2: '1.17.0', 'bcrypt-pbkdf': '1.0.2', 'make-dir': '3.1.0' };

/**
 * Modules of ssh2 and node-ssh that a client that only runs commands does not need, by the end of their paths, with
 * their replacements. They are required unconditionally, so the bundler would keep them: 210 KB, and 30 ms of 230 ms of
 * processor time of the start of `nodes/operate`.
 */
const unused: Record<string, string> = {
  'ssh2/lib/protocol/SFTP.js': 'exports.SFTP = class {};',
  'ssh2/lib/server.js': '',
  'ssh2/lib/keygen.js': '',
  'ssh2/lib/http-agents.js': '',
  'ssh2/lib/agent.js': 'exports.isAgent = () => false;',
  // For keys with a passphrase, which are not supported.
  'bcrypt-pbkdf/index.js': 'exports.pbkdf = () => -1;',
  // For file transfers.
  'make-dir/index.js': '',
};

/** Of the modules above, those that only node-ssh loads. A bundle may have ssh2 alone, to read keys. */
const loadedByNodeSsh = ['make-dir/index.js'];

const advice = 'compare what infra/build/lean-ssh.ts replaces with what the package has, and correct the list there';

/** Reduces ssh2 and node-ssh to a client that runs commands. */
export const leanSsh: Plugin = {
  name: 'lean-ssh',
  setup({ onStart, onLoad, onEnd }) {
    let replaced = new Set<string>();
    const included = new Set<'ssh2' | 'node-ssh'>();
    onStart(() => {
      replaced = new Set();
      included.clear();
    });
    const filter = /[\\/]node_modules[\\/](ssh2|node-ssh|bcrypt-pbkdf|make-dir)[\\/].*\.m?js$/;
    onLoad({ filter }, async ({ path }) => {
      included.add(/[\\/]node_modules[\\/]node-ssh[\\/]/.test(path) ? 'node-ssh' : 'ssh2');
      const end = Object.keys(unused).find((name) => path.replaceAll('\\', '/').endsWith(`/node_modules/${name}`));
      if (end === undefined) return undefined;
      const [name = ''] = end.split('/');
      const { version } = JSON.parse(await readFile(join(path.slice(0, -end.length), name, 'package.json'), 'utf8'));
      if (version !== versions[name]) {
        return { errors: [{ text: `${name} is ${version} instead of ${versions[name]}: ${advice}` }] };
      }
      replaced.add(end);
      return { contents: unused[end]! };
    });
    onEnd(({ errors }) => {
      const expected = Object.keys(unused).filter((end) =>
        included.has(loadedByNodeSsh.includes(end) ? 'node-ssh' : 'ssh2'),
      );
      const missing = errors.length === 0 ? expected.filter((end) => !replaced.has(end)) : [];
      return { errors: missing.map((end) => ({ text: `the SSH client does not load ${end}: ${advice}` })) };
    });
  },
};
