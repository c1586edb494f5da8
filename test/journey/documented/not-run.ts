/** Documented commands that no test can execute unchanged, by prefix. Each entry must match a command. */
export const notRun: { command: RegExp; reason: string }[] = [
  { command: /^npm test\b/, reason: 'It runs this test.' },
  {
    command: /^npm start(?! -- --demo)/,
    reason: 'test/journey/command-line.test.ts and shared-service.ts run it.',
  },
  {
    command: /^PUBLIC_URL=\S+ npm start$/,
    reason:
      'test/journey/public-server.test.ts runs it behind nginx, test/long/public-server.test.ts also behind Caddy.',
  },
  {
    command: /^(docker |DOMAIN=|printf '%s' "\$PASSWORD" >admin-password)/,
    reason: 'It needs Docker. test/long/docker runs it.',
  },
  {
    command: /^npm run (scale|simulate)\b/,
    reason: 'It takes minutes. lab/scale and lab/simulate have tests of its parts.',
  },
  {
    command: /^npx cdk (bootstrap|deploy|diff|destroy)\b/,
    reason: 'It needs an AWS account. test/infra checks the synthesised template.',
  },
  {
    command: /^open-video-service ingest\b/,
    reason: 'It needs a server with a public address. test/client/cli/commands runs it.',
  },
  {
    command: /^(sudo |printf '\[Service\])/,
    reason: 'It changes the operating system and needs systemd or the AWS Systems Manager agent.',
  },
];

/**
 * AWS operations that the embedded cloud does not implement, or options that the AWS CLI may not know (`tooNew`): only
 * their syntax is checked, by the CLI's parser and service model. All other commands are sent to the embedded cloud.
 */
export const checkedByForm: { operation: string; reason: string; tooNew?: readonly string[] }[] = [
  { operation: 'iam create-service-linked-role', reason: 'The embedded AWS creates no roles.' },
  {
    operation: 'cloudformation update-termination-protection',
    reason: 'The embedded AWS does not deploy or delete the stack.',
  },
  {
    operation: 'dynamodb update-table',
    reason: 'The CLI of Debian 12 is older than these options (March 2023), without which the command is sent.',
    tooNew: ['--deletion-protection-enabled', '--no-deletion-protection-enabled'],
  },
  { operation: 'cloudwatch set-alarm-state', reason: 'The embedded AWS has no CloudWatch.' },
  { operation: 'cloudwatch list-metrics', reason: 'The embedded AWS has no CloudWatch.' },
  { operation: 'cloudwatch describe-alarms', reason: 'The embedded AWS has no CloudWatch.' },
  { operation: 'logs filter-log-events', reason: 'The embedded AWS prints log lines and does not keep them.' },
  { operation: 'ecr list-images', reason: 'One machine has no registry.' },
  { operation: 'ce get-cost-and-usage', reason: 'The embedded AWS costs nothing.' },
  { operation: 'cloudfront describe-function', reason: 'The embedded CloudFront has no control plane.' },
  { operation: 'cloudfront test-function', reason: 'The embedded CloudFront has no control plane.' },
  { operation: 'events put-rule', reason: 'The template creates the rules of the embedded EventBridge.' },
  { operation: 'ssm create-activation', reason: 'No server has the agent that needs it.' },
];

/** Placeholders of the pages, and values that each reader chooses. */
export const replacements: { text: RegExp; by: string; reason: string }[] = [
  { text: /(\bAPI=|_URL=|--url )http:\/\/127\.0\.0\.1:3000/, by: '$1$SERVICE_URL', reason: 'a free port' },
  { text: /\.data\/api-token/, by: 'data/api-token', reason: 'the data folder of the test' },
  {
    text: /^npm install -g (\S+).*$/,
    by: 'tar -xf $1 && chmod +x package/dist/cli.js && ln -s "$PWD/package/dist/cli.js" bin/open-video-service',
    reason: 'the machine of the test stays as it is',
  },
  { text: /"password":"…"/, by: `"password":"'"$ADMIN_PASSWORD"'"`, reason: 'the password of the test' },
  {
    text: /https:\/\/shop\.example\.com\/hooks\/video/,
    by: 'http://127.0.0.1:9/hooks',
    reason: 'no request of a test leaves the machine',
  },
  { text: /AWS_CONFIG_FILE=\.data\//, by: 'AWS_CONFIG_FILE=data/', reason: 'the data folder of the test' },
  {
    text: /^npm run (backup|check:data)/,
    by: 'DATA_DIR="$PWD/data" npm run $1',
    reason: 'the data folder of the test',
  },
  { text: /~\/video-backup/, by: '"$PWD/video-backup"', reason: 'the folder of the test' },
  { text: /~\/video-data/, by: '"$PWD/video-data"', reason: 'the folder of the test' },
  {
    text: /--restore-date-time \S+/,
    by: '--use-latest-restorable-time',
    reason: 'the embedded DynamoDB restores only the latest state',
  },
  { text: /^STAGE=prod$/, by: 'STAGE=local', reason: 'the stage of the test' },
  { text: /video-service-dev-/, by: 'video-service-local-', reason: 'the stage of the test' },
  { text: /(npm run smoke .*)$/, by: '$1 --file "$PWD/clip.mp4"', reason: 'a shorter clip than the generated one' },
  { text: /203\.0\.113\.10/, by: '127.0.0.1', reason: 'the address of the test server' },
  { text: /\\"user\\":\\"deploy\\"/, by: '\\"user\\":\\"$USER\\"', reason: 'the user of the test server' },
  {
    text: /^(ssh-keygen .*)$/,
    by: '$1\ncat node-key.pub >> "$AUTHORIZED_KEYS"',
    reason: 'what the comment beside it says to do with the public half of the key',
  },
  { text: /while sleep 2; do/, by: 'while sleep 0.5; do', reason: 'shorter waiting time' },
];
