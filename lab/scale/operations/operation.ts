/** What a measurement runs. Each has its own amount of change and size of result, whatever the table holds. */
export type Operation = {
  name: string;
  /** stores what the run will find changed; not measured */
  prepare?: () => Promise<unknown>;
  run: () => Promise<unknown>;
  /** the number of equal calls in a run: the result is per call */
  calls?: number;
  /** of a run that has results of workers: how many */
  results?: number;
};
