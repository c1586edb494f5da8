/** What AWS bills by use, one for each price. Deletions and refused requests of stores are free and not counted. */
export type Billed =
  | 'API requests'
  | 'function invocations'
  | 'state transitions'
  | 'table read units'
  | 'table write units'
  | 'store writes'
  | 'store reads'
  | 'objects created'
  | 'key value store requests'
  | 'edge requests'
  | 'edge function runs'
  | 'edge key value reads';

/**
 * Receives each billable use with its source: the route of the API, the function (also of uses of the table), the
 * state, or the first folder of the object.
 */
export type Meter = (billed: Billed, amount: number, source: string) => void;
