import { parseArgs } from 'node:util';
import { ApiError } from '../../client/api-error.ts';
import { createClient } from '../../client/create-client.ts';
import { withDemoClip } from '../../local/files/demo-clip.ts';
import { checkSourceFiles } from '../../local/files/source-files.ts';
import { CannotStart } from '../../local/server/cannot-start.ts';
import { smokeJourney } from './journey.ts';

const help = `Takes a short clip through a deployed stage, from upload to playback, and removes it again.

  npm run smoke -- --url https://… --token TOKEN [--file clip.mp4]

The environment variable SMOKE_TOKEN can hold the token instead, hidden from other users of the machine.
Without a file, ffmpeg generates a clip. Exit codes: 0 all steps passed, 1 a step failed, 2 invalid arguments.
`;

const advice: Record<number, string> = {
  401: 'Create a token with POST /api/tokens and pass it with --token.',
  503: 'The stage has no active proxy node: register and deploy one.',
};

type Arguments = { url: string; token: string; file: string | undefined };

function readArguments(): Arguments {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      token: { type: 'string' },
      file: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const { url, token = process.env.SMOKE_TOKEN, file } = values;
  if (values.help || !url || !token || !URL.canParse(url)) throw new CannotStart(help);
  return { url: url.replace(/\/+$/, ''), token, file };
}

async function smoke({ url, token, file }: Arguments): Promise<boolean> {
  const client = createClient({ url, token });
  const run = async (clip: Parameters<typeof smokeJourney>[2]): Promise<boolean> => {
    const { steps, cleanUp } = smokeJourney(url, client, clip);
    for (const { name, run: runStep } of steps) {
      const startedAt = performance.now();
      try {
        const seen = await runStep();
        console.log(`ok    ${name} (${Math.round(performance.now() - startedAt)} ms): ${seen}`);
      } catch (error) {
        const hint = error instanceof ApiError ? advice[error.status] : undefined;
        console.error(`FAIL  ${name}: ${(error as Error).message}${hint ? ` ${hint}` : ''}`);
        await cleanUp();
        return false;
      }
    }
    return true;
  };
  const [given] = file === undefined ? [] : await checkSourceFiles([file]);
  return given ? run(given) : withDemoClip(run);
}

try {
  process.exitCode = (await smoke(readArguments())) ? 0 : 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
