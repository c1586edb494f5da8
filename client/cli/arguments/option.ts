/** An option of a command, as the help shows it. */
export type Option = {
  type: 'string' | 'boolean';
  about: string;
  /** names the value in the help */
  value?: string;
  short?: string;
  /** may be given several times */
  multiple?: true;
};

export type Command = {
  summary: string;
  /** what follows the name of the command, such as `FILE…` */
  operands: string;
  minOperands: number;
  maxOperands: number;
  options: Readonly<Record<string, Option>>;
};

/** The options of every command. */
export const commonOptions: Readonly<Record<string, Option>> = {
  url: { type: 'string', value: 'URL', about: 'address of the service (OPEN_VIDEO_SERVICE_URL)' },
  'token-file': { type: 'string', value: 'FILE', about: 'file with the API token (OPEN_VIDEO_SERVICE_TOKEN_FILE)' },
  token: {
    type: 'string',
    value: 'TOKEN',
    about: 'the API token; other users of the machine can see it, so prefer OPEN_VIDEO_SERVICE_TOKEN or a file',
  },
  config: { type: 'string', value: 'FILE', about: 'configuration file (OPEN_VIDEO_SERVICE_CONFIG)' },
  json: { type: 'boolean', about: 'print JSON for programs' },
  quiet: { type: 'boolean', short: 'q', about: 'print results and errors only' },
  help: { type: 'boolean', short: 'h', about: 'show this help' },
};
