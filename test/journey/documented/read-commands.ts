import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

export type DocumentedCommand = { page: string; line: number; text: string };

/** The commands of a page's shell blocks in order, each complete for bash, without comment lines. */
export function readCommands(page: string): DocumentedCommand[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const commands: DocumentedCommand[] = [];
  let fence: { indent: string; isShell: boolean } | undefined;
  let begun: DocumentedCommand | undefined;
  for (const [index, line] of lines.entries()) {
    const [, indent = '', language] = /^( *)```(\w*)$/.exec(line) ?? [];
    if (language !== undefined) {
      if (begun) throw new Error(`${page}:${begun.line} ends within a command`);
      fence = fence ? undefined : { indent, isShell: language === 'sh' };
      continue;
    }
    if (!fence?.isShell) continue;
    const text = line.slice(fence.indent.length);
    if (!begun && /^\s*(#|$)/.test(text)) continue;
    begun = begun ? { ...begun, text: `${begun.text}\n${text}` } : { page, line: index + 1, text };
    if (!isWhole(begun.text)) continue;
    commands.push(begun);
    begun = undefined;
  }
  if (fence) throw new Error(`a block of ${page} has no end`);
  return commands;
}

const isWhole = (text: string): boolean =>
  !text.endsWith('\\') && spawnSync('bash', ['-n', '-c', text], { stdio: 'ignore' }).status === 0;
