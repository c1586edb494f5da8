/** The parameter with the secret that a store sends with its notifications. */
export const storeWebhookSecretName = 'store-webhook-secret';
