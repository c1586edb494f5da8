import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { templateOf } from '../../test/infra/synthesised.ts';

const run = promisify(execFile);

/**
 * Findings of cfn-lint that the CDK causes: W3005, a dependency on a role that a reference already has, and I1022,
 * Fn::Join where Fn::Sub is possible.
 */
const ignored = 'W3005,I1022';

/** Findings of cloudsplaining, which `embedded-aws/docs/conformance.md` explains. */
const explained = ['credentials_exposure ecr:GetAuthorizationToken', 'unrestricted ssm:UpdateInstanceInformation'];

/**
 * Checks the templates of dev and prod with cfn-lint, and their policies with cloudsplaining; moto
 * creates their stacks. Prints what they find.
 * @param bin the folder of the programs
 * @param folder for the templates
 * @returns the number of findings
 */
export async function checkTemplates(bin: string, folder: string): Promise<number> {
  let count = 0;
  for (const stage of ['dev', 'prod']) {
    const file = join(folder, `${stage}.json`);
    await writeFile(file, JSON.stringify(templateOf(stage).toJSON()));
    const lint = ['--include-checks', 'I', '--ignore-checks', ignored, '--format', 'parseable', '--template', file];
    const linted = await run(join(bin, 'cfn-lint'), lint).catch((error: { stdout: string }) => error);
    const scan = [join(import.meta.dirname, 'scan-policies.py'), file];
    const { stdout: scanned } = await run(join(bin, 'python3'), scan);
    const deploy = [join(import.meta.dirname, 'deploy-template.py'), file];
    const { stdout: refused, stderr } = await run(join(bin, 'python3'), deploy);
    console.log(`${stage}: ${stderr.trim().split('\n').at(-1)}`);
    const findings = `${linted.stdout}${scanned}${refused}`
      .split('\n')
      .filter((line) => line !== '' && !explained.includes(line));
    for (const finding of findings) console.log(`FINDING ${stage}: ${finding}`);
    count += findings.length;
  }
  return count;
}
