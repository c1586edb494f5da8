import { bodyOf } from '../../../client/api.ts';
import { api } from '../../api/client.ts';

/**
 * Sends all failed events since an instant again, some with each request.
 * @param onSent called with the sum after each request, and at the end
 */
export async function resendSince(webhook: string, from: string, onSent: (resent: number) => void): Promise<void> {
  const params = { path: { ulid: webhook } };
  let resent = 0;
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const body = { from, ...(cursor !== undefined && { cursor }) };
    const { data, meta } = await bodyOf(api.POST('/api/webhooks/{ulid}/deliveries/resend-failed', { params, body }));
    resent += data.resent;
    cursor = meta.next_cursor;
    if (resent > 0 || cursor === null) onSent(resent);
  }
}
