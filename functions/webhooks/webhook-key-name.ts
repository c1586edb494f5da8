/** The parameter with the key from which the secrets of all webhooks are derived: the table has no secret. */
export const webhookKeyName = 'webhook-key';
