import { expect, test } from 'vitest';
import { settingsOf } from '../../../infra/settings.ts';
import { templateOf } from '../synthesised.ts';

const sha256 = 'a'.repeat(64);
const transcription = { model: 'models/ggml-base-q8_0.bin', sha256 };
const plain = templateOf('dev');
const speaking = templateOf('dev', { transcription });

type Properties = { FunctionName: string; Environment?: { Variables: Record<string, unknown> } };
const variablesOf = (template: typeof plain, name: string): Record<string, unknown> => {
  const functions = Object.values(template.findResources('AWS::Lambda::Function')).map(
    (one) => one.Properties as Properties,
  );
  return functions.find(({ FunctionName }) => FunctionName === `video-service-dev-${name}`)!.Environment!.Variables;
};
const modelPolicies = (template: typeof plain): string[] =>
  Object.entries(template.findResources('AWS::IAM::Policy'))
    .filter(([, policy]) => JSON.stringify(policy).includes('/models/'))
    .map(([name]) => name);
const taskOf = (template: typeof plain) => {
  const [task] = Object.values(template.findResources('AWS::ECS::TaskDefinition'));
  return task!.Properties.ContainerDefinitions[0].Environment as { Name: string; Value: string }[];
};

test('a stage without a model says so to its functions, and has no permission for one', () => {
  for (const name of ['captions', 'templates', 'publish']) {
    expect(variablesOf(plain, name).TRANSCRIPTION).toBe('off');
    expect(variablesOf(speaking, name).TRANSCRIPTION).toBe('on');
  }
  expect(modelPolicies(plain)).toEqual([]);
  expect(variablesOf(plain, 'workers')).not.toHaveProperty('TRANSCRIPTION_MODEL_KEY');
});

test('one function may read the model, and nothing else below its prefix: it signs the URL that tasks get', () => {
  expect(modelPolicies(speaking)).toEqual([expect.stringMatching(/^workersrole/i)]);
  const policies = JSON.stringify(speaking.findResources('AWS::IAM::Policy'));
  expect(policies).toContain('"/models/ggml-base-q8_0.bin"');
  expect(policies).not.toContain('/models/*');
  expect(variablesOf(speaking, 'workers')).toMatchObject({
    TRANSCRIPTION_MODEL_KEY: transcription.model,
    TRANSCRIPTION_MODEL_SHA256: sha256,
  });
});

test('tasks transcribe only with a model, and have no permissions for it', () => {
  expect(taskOf(speaking)).toContainEqual({ Name: 'TRANSCRIBER', Value: 'on' });
  expect(taskOf(plain).map(({ Name }) => Name)).not.toContain('TRANSCRIBER');
});

test.each([
  [{ model: 'uploads/x.bin', sha256 }, /models\//],
  [{ model: 'models/../x', sha256 }, /models\//],
  [{ model: 'models/*', sha256 }, /models\//],
  [{ model: 'models/x.bin', sha256: 'abc' }, /SHA-256/],
  [{ model: 'models/x.bin' }, /sha256/],
])('the setting %j is refused', (given, message) => {
  expect(() => settingsOf('dev', { transcription: given })).toThrow(message);
});
