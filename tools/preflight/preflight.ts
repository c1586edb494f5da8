// Checks, before a deployment, what would make it fail after some minutes. It only reads.
// npm run preflight -- --stage STAGE
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '../../infra/repository-root.ts';
import { readStage } from './read-stage.ts';
import { runChecks } from './run-checks.ts';

const usage = `Checks whether a stage can be deployed into the account of the AWS credentials. It changes nothing.

  npm run preflight -- --stage STAGE [-c 'STAGE={…}']

The settings of the stage are those of cdk.json, or of -c as for the CDK. Exit codes: 0 nothing stands in the way,
1 something does, 2 invalid arguments.
`;

class InvalidArguments extends Error {}

async function readArguments(): Promise<{ stage: string; overrides: unknown }> {
  const { values } = parseArguments();
  const { stage, context = [] } = values;
  if (values.help || !stage) throw new InvalidArguments(usage);
  const given = context.find((one) => one.startsWith(`${stage}=`))?.slice(stage.length + 1);
  const { context: inFile = {} } = JSON.parse(await readFile(join(repositoryRoot, 'cdk.json'), 'utf8'));
  return { stage, overrides: given ?? inFile[stage] };
}

function parseArguments() {
  try {
    return parseArgs({
      options: {
        stage: { type: 'string' },
        context: { type: 'string', short: 'c', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new InvalidArguments(`${(error as Error).message}\n\n${usage}`);
  }
}

const labels = { ok: 'ok   ', note: 'note ', fails: 'FAIL ' };

async function preflight(): Promise<boolean> {
  const { stage, overrides } = await readArguments();
  const described = await readStage(stage, overrides).catch((error: Error) => {
    throw new InvalidArguments(error.message);
  });
  const results = await runChecks(described);
  for (const { name, findings } of results) {
    for (const { state, text, fix } of findings) {
      console.log(`${labels[state]} ${name}: ${text}${fix === undefined ? '' : `\n      → ${fix}`}`);
    }
  }
  const failed = results.flatMap(({ findings }) => findings).filter(({ state }) => state === 'fails');
  console.log(failed.length === 0 ? `${stage} can be deployed.` : `${failed.length} problems stand in the way.`);
  return failed.length === 0;
}

try {
  process.exitCode = (await preflight()) ? 0 : 1;
} catch (error) {
  if (!(error instanceof InvalidArguments)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
