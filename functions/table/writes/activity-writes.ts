import { timestamp } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { User } from '../records.ts';

/** The record that an action was about; an upload has no integer id and a token no ULID. */
type Subject = { id?: number; ulid?: string };

/**
 * One line in the activity of the user who acts, as part of the transaction of the action. `properties` are shown to
 * that user: never put secrets there.
 */
export type ActivityWrite = (
  by: Pick<User, 'ulid'>,
  about: Subject,
  event: string,
  description: string,
  properties?: Record<string, unknown>,
) => Write;

// One function for each kind of record, so that all lines have the same form.
export const profileActivity = activityOf('profile', 'user');
export const userActivity = activityOf('user');
export const tokenActivity = activityOf('token');
export const templateActivity = activityOf('template');
export const imageActivity = activityOf('image');
export const uploadActivity = activityOf('upload');
export const videoActivity = activityOf('video');
export const captionsActivity = activityOf('captions');
export const nodeActivity = activityOf('node');
export const sshKeyActivity = activityOf('ssh-key');
export const storageActivity = activityOf('storage');
export const webhookActivity = activityOf('webhook');

function activityOf(logName: string, subjectType = logName): ActivityWrite {
  return ({ ulid: userUlid }, { id = null, ulid = null }, event, description, properties = {}) => ({
    put: {
      ...keys.activity(userUlid, newUlid()),
      kind: 'activity',
      logName,
      event,
      description,
      subject: { type: subjectType, id, ulid },
      properties,
      createdAt: timestamp(),
    },
  });
}
