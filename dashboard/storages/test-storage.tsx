import { useEffect, useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import type { operations } from '../../client/api-types.ts';
import { api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import type { Messages } from '../messages/en.ts';
import { text } from '../messages/messages.ts';
import { RolePolicies } from './policy-box.tsx';
import type { Storage } from './storage-form.ts';

type Result = operations['testStorage']['responses'][200]['content']['application/json']['data'];
type Step = Result['steps'][number];

const allSteps = ['open', 'write', 'read', 'list', 'delete'] as const satisfies readonly Step['step'][];

type TestStorageProps = {
  storage: Storage;
  /** It was just added: a role is tried after its owner has set up its policies. */
  isNew?: boolean;
  onEdit(): void;
  onClose(): void;
};

/** Tries a storage at once, and shows what each step found. */
export function TestStorage({ storage, isNew = false, onEdit, onClose }: TestStorageProps) {
  const { storages: messages, common } = text.value;
  const [result, setResult] = useState<Result>();
  const params = { path: { ulid: storage.ulid } };
  const test = useAction(async () => {
    setResult(undefined);
    const { data } = await bodyOf(api.POST('/api/storages/{ulid}/test', { params }));
    setResult(data);
    announce(data.ok ? messages.testPassed : messages.testFailed);
  });
  const showsPolicies = isNew && storage.role_arn !== null;
  useEffect(() => {
    if (!showsPolicies) void test.run();
  }, []);
  return (
    <Dialog title={messages.testTitle(storage.name)} onClose={onClose}>
      {showsPolicies && <RolePolicies storage={storage} />}
      {test.isRunning && <Loading />}
      <ErrorNotice error={test.error} />
      {result && <TestResult result={result} />}
      <ApiCall method="POST" path="/api/storages/{ulid}/test" params={{ ulid: storage.ulid }} />
      <div class="dialog-actions">
        {result?.ok === false && <Button onClick={onEdit}>{common.edit}</Button>}
        <Button isBusy={test.isRunning} onClick={() => test.run()}>
          {result === undefined && !test.isRunning ? messages.test : messages.testAgain}
        </Button>
        <Button variant="primary" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    </Dialog>
  );
}

function TestResult({ result: { ok, steps } }: { result: Result }) {
  const messages = text.value.storages;
  return (
    <>
      <p class={ok ? 'notice' : 'notice notice-error'} role="status">
        {ok ? messages.testPassed : messages.testFailed}
      </p>
      <ol class="storage-steps">
        {allSteps.map((name) => {
          const step = steps.find(({ step }) => step === name);
          const state = step === undefined ? 'skipped' : step.ok ? 'completed' : 'failed';
          return (
            <li key={name}>
              <span class="badge" data-status={state}>
                {messages.stepStates[state]}
              </span>
              <span>{messages.steps[name]}</span>
              {step?.ok === false && <StepFault step={step} />}
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** In the user's language where this version knows the code. */
function StepFault({ step: { step, code, message } }: { step: Step }) {
  const messages = text.value.storages;
  const known = messages.faults[code as keyof Messages['storages']['faults']];
  return (
    <div class="storage-fault">
      <p {...(known === undefined && { lang: 'en' })}>{known ?? message}</p>
      {step === 'list' && <p class="hint">{messages.listFailed}</p>}
    </div>
  );
}
