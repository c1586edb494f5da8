import type { Plugin } from 'esbuild';

/**
 * Modules of ssh2 and node-ssh that a client that only runs commands does not need, by the end of their paths, with
 * their replacements. They are required unconditionally, so the bundler would keep them: 220 KB.
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

/** Reduces ssh2 and node-ssh to a client that runs commands. */
export const leanSsh: Plugin = {
  name: 'lean-ssh',
  setup({ onLoad }) {
    const filter = /[\\/]node_modules[\\/](ssh2|bcrypt-pbkdf|make-dir)[\\/].*\.js$/;
    onLoad({ filter }, ({ path }) => {
      const end = Object.keys(unused).find((name) => path.replaceAll('\\', '/').endsWith(`/node_modules/${name}`));
      return end === undefined ? undefined : { contents: unused[end]! };
    });
  },
};
