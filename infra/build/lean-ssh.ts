import type { Plugin } from 'esbuild';

/**
 * What comes with ssh2 and node-ssh beside a client that runs commands, by the end of its path, and what stands in for it. Their modules ask for all of
 * it at once, so that a bundler keeps it: 220 KB.
 */
const unused: Record<string, string> = {
  'ssh2/lib/protocol/SFTP.js': 'exports.SFTP = class {};',
  'ssh2/lib/server.js': '',
  'ssh2/lib/keygen.js': '',
  'ssh2/lib/http-agents.js': '',
  'ssh2/lib/agent.js': 'exports.isAgent = () => false;',
  // For keys with a passphrase, which nobody could type in.
  'bcrypt-pbkdf/index.js': 'exports.pbkdf = () => -1;',
  // For the copying of files.
  'make-dir/index.js': '',
};

/** Leaves a client of SSH that runs commands. */
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
