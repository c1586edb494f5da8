/** What a check found: `note` is worth knowing, and does not stop a deployment. */
export type Finding = {
  state: 'ok' | 'note' | 'fails';
  text: string;
  /** The command or the change that solves it. */
  fix?: string;
};

export type Check = { name: string; run: () => Promise<Finding | Finding[]> };

export const ok = (text: string): Finding => ({ state: 'ok', text });
export const note = (text: string, fix?: string): Finding => ({
  state: 'note',
  text,
  ...(fix !== undefined && { fix }),
});
export const fails = (text: string, fix: string): Finding => ({ state: 'fails', text, fix });

/** Whether AWS answered with the error of one of these names. */
export const isNamed = (error: unknown, ...names: string[]): boolean =>
  error instanceof Error && names.includes(error.name);
