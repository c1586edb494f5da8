/** Documented commands that no test can execute unchanged, by prefix. Each entry must match a command. */
export const notRun: { command: RegExp; reason: string }[] = [
  { command: /^npm test\b/, reason: 'It is what runs this test.' },
  {
    command: /^npm start(?! -- --demo)/,
    reason: 'test/journey/command-line.test.ts and shared-service.ts start it so.',
  },
  {
    command: /^PUBLIC_URL=\S+ npm start$/,
    reason: 'test/journey/public-server.test.ts starts it so, behind nginx and Caddy.',
  },
  {
    command: /^npx cdk (bootstrap|deploy|diff|destroy)\b/,
    reason: 'It needs an account. What it would deploy is synthesised and checked in test/infra.',
  },
  {
    command: /^(sudo |printf '\[Service\])/,
    reason: "It changes a server's own system, and needs systemd or the AWS Systems Manager agent.",
  },
];

/**
 * AWS operations that the embedded cloud does not implement: only their syntax is checked, by the AWS CLI's parser and
 * service model. All other commands are sent to the embedded cloud, except for its dead-letter queues: it drops no event,
 * so the test supplies their messages.
 */
export const checkedByForm: { operation: string; reason: string; tooNew?: readonly string[] }[] = [
  { operation: 'iam create-service-linked-role', reason: 'There are no roles on one machine.' },
  {
    operation: 'cloudformation update-termination-protection',
    reason: 'The stack is not deployed, so it is not removed.',
  },
  { operation: 'apigatewayv2 get-apis', reason: 'The gateway has no control plane on one machine.' },
  { operation: 'apigatewayv2 update-stage', reason: 'The gateway has no control plane on one machine.' },
  { operation: 'dynamodb restore-table-to-point-in-time', reason: 'There are no backups on one machine.' },
  { operation: 'dynamodb restore-table-from-backup', reason: 'There are no backups on one machine.' },
  { operation: 'dynamodb create-backup', reason: 'There are no backups on one machine.' },
  { operation: 'dynamodb describe-backup', reason: 'There are no backups on one machine.' },
  { operation: 'dynamodb update-continuous-backups', reason: 'There are no backups on one machine.' },
  { operation: 'dynamodb update-time-to-live', reason: 'It is on already, which is an error there and here.' },
  { operation: 'dynamodb delete-table', reason: 'Tables come and go with the template.' },
  { operation: 'dynamodb wait', reason: 'It waits for a table that was restored or deleted.' },
  {
    operation: 'dynamodb update-table',
    reason: 'Tables change with the template. The options are of March 2023, and the CLI of Debian 12 is of January.',
    tooNew: ['--deletion-protection-enabled', '--no-deletion-protection-enabled'],
  },
  { operation: 'ssm create-activation', reason: 'No server has the agent that it is for.' },
];

/** Placeholders of the pages, and values that each reader chooses. */
export const replacements: { text: RegExp; by: string; reason: string }[] = [
  { text: /^API=http:\S+$/, by: 'API=$SERVICE_URL', reason: 'the port that was free' },
  { text: /"password":"…"/, by: `"password":"'"$ADMIN_PASSWORD"'"`, reason: 'a password of your own' },
  { text: /AWS_CONFIG_FILE=\.data\//, by: 'AWS_CONFIG_FILE=data/', reason: 'the data folder of the test' },
  {
    text: /^npm run backup/,
    by: 'DATA_DIR="$PWD/data" npm run backup',
    reason: 'the data folder of the test',
  },
  { text: /~\/video-backup/, by: '"$PWD/video-backup"', reason: 'the folder of the test' },
  { text: /~\/video-data/, by: '"$PWD/video-data"', reason: 'the folder of the test' },
  { text: /^STAGE=prod$/, by: 'STAGE=local', reason: 'the stage that runs here' },
  { text: /video-service-dev-/, by: 'video-service-local-', reason: 'the stage that runs here' },
  { text: /(npm run smoke .*)$/, by: '$1 --file "$PWD/clip.mp4"', reason: 'a shorter clip than the one it would make' },
  { text: /203\.0\.113\.10/, by: '127.0.0.1', reason: 'the address of your server' },
  { text: /\\"user\\":\\"deploy\\"/, by: '\\"user\\":\\"$USER\\"', reason: 'the user on your server' },
  {
    text: /^(ssh-keygen .*)$/,
    by: '$1\ncat node-key.pub >> "$AUTHORIZED_KEYS"',
    reason: 'what the comment beside it says to do with the public half of the key',
  },
  { text: /while sleep 2; do/, by: 'while sleep 0.5; do', reason: 'time' },
];
