import type { CommandName } from './arguments/command-table.ts';
import { helpOf } from './arguments/help.ts';
import { parseCommandLine } from './arguments/parse-command-line.ts';
import { addCaptionsCommand, deleteCaptionsCommand, listCaptionsCommand } from './commands/captions-commands.ts';
import { eventsCommand } from './commands/events-command.ts';
import { ingestCommand } from './commands/ingest-command.ts';
import { adoptPresetCommand, templatesCommand } from './commands/templates-commands.ts';
import { uploadCommand } from './commands/upload-command.ts';
import {
  deleteVideosCommand,
  getVideoCommand,
  reprocessCommand,
  videoSourcesCommand,
  waitForVideosCommand,
} from './commands/videos-commands.ts';
import { videosListCommand } from './commands/videos-list-command.ts';
import { watchCommand } from './commands/watch-command.ts';
import { exitCode } from './exit-code.ts';
import { explainError } from './explain-error.ts';
import { printable } from './output/text.ts';
import { openSession, type Session, type Surroundings } from './session.ts';

const commands: Record<CommandName, (session: Session) => Promise<number>> = {
  upload: uploadCommand,
  watch: watchCommand,
  ingest: ingestCommand,
  videos: videosListCommand,
  'videos get': getVideoCommand,
  'videos sources': videoSourcesCommand,
  'videos wait': waitForVideosCommand,
  'videos reprocess': reprocessCommand,
  'videos delete': deleteVideosCommand,
  captions: listCaptionsCommand,
  'captions add': addCaptionsCommand,
  'captions delete': deleteCaptionsCommand,
  templates: templatesCommand,
  'templates adopt': adoptPresetCommand,
  events: eventsCommand,
};

/** Runs one command line. @returns the exit code */
export async function run(argv: readonly string[], version: string, surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  let session: Session | undefined;
  try {
    const parsed = parseCommandLine(argv);
    if (parsed.kind !== 'command') {
      stdout.write(parsed.kind === 'version' ? `${version}\n` : helpOf(parsed.command));
      return exitCode.ok;
    }
    session = await openSession(parsed, surroundings);
    return await commands[parsed.command](session);
  } catch (error) {
    const { exitCode: code, message } = explainError(error, session?.settings.url);
    session?.reporter.bars.stop();
    stderr.write(`${printable(message)}\n`);
    return code;
  } finally {
    session?.reporter.bars.stop();
  }
}
