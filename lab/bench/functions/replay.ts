import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

type Command = { input: unknown; constructor: { name: string } };
type Sender = { send(command: Command): Promise<unknown> };

/**
 * Puts a cache between the functions and the store, so that store calls cost no time. After `begin` calls go to the
 * store and are recorded; after `replay` a call gets the recorded response of its kind, such as a read of a record with
 * a new ULID.
 */
export function rememberStore() {
  const answers = new Map<string, unknown>();
  const kinds = new Map<string, unknown>();
  let replaying = false;
  for (const { prototype } of [DynamoDBDocumentClient, S3Client] as unknown as { prototype: Sender }[]) {
    const ask = prototype.send;
    prototype.send = async function send(this: Sender, command) {
      const { name } = command.constructor;
      const question = name + JSON.stringify(command.input);
      if (replaying && answers.has(question)) return answers.get(question);
      if (replaying && kinds.has(name)) return kinds.get(name);
      const answer = await ask.call(this, command);
      answers.set(question, answer);
      if (!replaying) kinds.set(name, answer);
      return answer;
    };
  }
  return {
    begin() {
      answers.clear();
      kinds.clear();
      replaying = false;
    },
    replay() {
      replaying = true;
    },
  };
}
