/** A JSON value in which strings of the form `{% … %}` are JSONata expressions. */
export type Template = unknown;

export type Retrier = {
  ErrorEquals: string[];
  IntervalSeconds?: number;
  MaxAttempts?: number;
  BackoffRate?: number;
  MaxDelaySeconds?: number;
  JitterStrategy?: 'FULL' | 'NONE';
};

export type Catcher = { ErrorEquals: string[]; Next: string; Assign?: Template; Output?: Template };

type Common = { Comment?: string; QueryLanguage?: 'JSONata'; Assign?: Template; Output?: Template };
type Onward = { Next?: string; End?: boolean };
type Guarded = { Retry?: Retrier[]; Catch?: Catcher[] };

export type PassState = Common & Onward & { Type: 'Pass' };
export type SucceedState = Common & { Type: 'Succeed' };
export type FailState = Common & { Type: 'Fail'; Error?: Template; Cause?: Template };
export type WaitState = Common & Onward & { Type: 'Wait'; Seconds?: Template; Timestamp?: Template };
export type ChoiceState = Common & {
  Type: 'Choice';
  Choices: { Condition: Template; Next: string; Assign?: Template; Output?: Template; Comment?: string }[];
  Default?: string;
};
export type TaskState = Common &
  Onward &
  Guarded & {
    Type: 'Task';
    Resource: string;
    Arguments?: Template;
    TimeoutSeconds?: Template;
    HeartbeatSeconds?: Template;
    Credentials?: Template;
  };
export type ParallelState = Common & Onward & Guarded & { Type: 'Parallel'; Branches: Flow[]; Arguments?: Template };

export type ItemReader = {
  Resource: string;
  ReaderConfig?: { InputType?: 'JSON' | 'JSONL'; MaxItems?: Template; ItemsPointer?: string };
  Arguments?: Template;
};
export type ItemBatcher = { MaxItemsPerBatch?: Template; MaxInputBytesPerBatch?: Template; BatchInput?: Template };
export type ResultWriter = {
  Resource?: string;
  Arguments?: Template;
  WriterConfig?: { Transformation?: 'NONE' | 'COMPACT' | 'FLATTEN'; OutputType?: 'JSON' | 'JSONL' };
};
export type ItemProcessor = Flow & {
  ProcessorConfig?: { Mode?: 'INLINE' | 'DISTRIBUTED'; ExecutionType?: 'STANDARD' | 'EXPRESS' };
};
export type MapState = Common &
  Onward &
  Guarded & {
    Type: 'Map';
    ItemProcessor: ItemProcessor;
    Items?: Template;
    ItemReader?: ItemReader;
    ItemSelector?: Template;
    ItemBatcher?: ItemBatcher;
    ResultWriter?: ResultWriter;
    MaxConcurrency?: Template;
    ToleratedFailurePercentage?: Template;
    ToleratedFailureCount?: Template;
    Label?: string;
  };

export type State =
  | PassState
  | SucceedState
  | FailState
  | WaitState
  | ChoiceState
  | TaskState
  | ParallelState
  | MapState;
export type StateType = State['Type'];

export type Flow = { StartAt: string; States: Record<string, State>; Comment?: string };
export type StateMachineDefinition = Flow & { QueryLanguage: 'JSONata'; TimeoutSeconds?: number; Version?: string };
