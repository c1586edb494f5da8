import type { CommandName } from './arguments/command-table.ts';
import { helpOf } from './arguments/help.ts';
import { parseCommandLine } from './arguments/parse-command-line.ts';
import { type CliRun, openCliRun, type Surroundings } from './cli-run.ts';
import { usageCommand, videoAnalyticsCommand } from './commands/analytics-commands.ts';
import { addBatchCommand, batchesCommand, stopBatchCommand } from './commands/batches-commands.ts';
import { addCaptionsCommand, deleteCaptionsCommand, listCaptionsCommand } from './commands/captions-commands.ts';
import { deliverCommand } from './commands/deliver-command.ts';
import { eventsCommand } from './commands/events-command.ts';
import { ingestCommand } from './commands/ingest-command.ts';
import { generateCaptionsCommand, transcriptCommand } from './commands/speech-commands.ts';
import {
  addStorageCommand,
  deleteStorageCommand,
  storagesCommand,
  testStorageCommand,
} from './commands/storages-commands.ts';
import {
  addImageCommand,
  adoptPresetCommand,
  deleteImageCommand,
  imagesCommand,
  templatesCommand,
} from './commands/templates-commands.ts';
import { createTokenCommand, deleteTokenCommand, tokensCommand } from './commands/tokens-commands.ts';
import { uploadCommand } from './commands/upload-command.ts';
import {
  clipCommand,
  deleteVideosCommand,
  getVideoCommand,
  originalCommand,
  posterCommand,
  replaceCommand,
  reprocessCommand,
  setVideoCommand,
  videoSourcesCommand,
  waitForVideosCommand,
} from './commands/videos-commands.ts';
import { videosListCommand } from './commands/videos-list-command.ts';
import { watchCommand } from './commands/watch-command.ts';
import { exitCode } from './exit-code.ts';
import { explainError } from './explain-error.ts';
import { printable } from './output/text.ts';

const commands: Record<CommandName, (cliRun: CliRun) => Promise<number>> = {
  upload: uploadCommand,
  watch: watchCommand,
  ingest: ingestCommand,
  batches: batchesCommand,
  'batches add': addBatchCommand,
  'batches stop': stopBatchCommand,
  storages: storagesCommand,
  'storages add': addStorageCommand,
  'storages test': testStorageCommand,
  'storages delete': deleteStorageCommand,
  videos: videosListCommand,
  'videos get': getVideoCommand,
  'videos set': setVideoCommand,
  'videos sources': videoSourcesCommand,
  'videos original': originalCommand,
  'videos analytics': videoAnalyticsCommand,
  'videos wait': waitForVideosCommand,
  'videos clip': clipCommand,
  'videos reprocess': reprocessCommand,
  'videos deliver': deliverCommand,
  'videos poster': posterCommand,
  'videos replace': replaceCommand,
  'videos delete': deleteVideosCommand,
  captions: listCaptionsCommand,
  'captions add': addCaptionsCommand,
  'captions delete': deleteCaptionsCommand,
  'captions generate': generateCaptionsCommand,
  'captions text': transcriptCommand,
  templates: templatesCommand,
  'templates adopt': adoptPresetCommand,
  images: imagesCommand,
  'images add': addImageCommand,
  'images delete': deleteImageCommand,
  tokens: tokensCommand,
  'tokens create': createTokenCommand,
  'tokens delete': deleteTokenCommand,
  usage: usageCommand,
  events: eventsCommand,
};

/** Runs one command line. @returns the exit code */
export async function run(argv: readonly string[], version: string, surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  let cliRun: CliRun | undefined;
  try {
    const parsed = parseCommandLine(argv);
    if (parsed.kind !== 'command') {
      stdout.write(parsed.kind === 'version' ? `${version}\n` : helpOf(parsed.command));
      return exitCode.ok;
    }
    cliRun = await openCliRun(parsed, surroundings);
    return await commands[parsed.command](cliRun);
  } catch (error) {
    const { exitCode: code, message } = explainError(error, cliRun?.settings.url, cliRun?.words);
    cliRun?.reporter.bars.stop();
    stderr.write(`${printable(message)}\n`);
    return code;
  } finally {
    cliRun?.reporter.bars.stop();
  }
}
