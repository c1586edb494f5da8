import { expect, test } from 'vitest';
import { withBearerAuthOnly } from '../../../dashboard/docs/viewer-document.ts';

test('the viewer offers the API token alone, and says that the session is not used', () => {
  const shown = withBearerAuthOnly({
    info: { description: 'The API.' },
    security: [{ bearerAuth: [] }, { sessionCookie: [] }],
    paths: {
      '/api/uploads': { get: {}, post: { security: [{ bearerAuth: [] }, { uploadToken: [] }] } },
      '/logout': { post: { security: [{ sessionCookie: [] }] } },
    },
    components: { securitySchemes: { sessionCookie: { type: 'apiKey' }, bearerAuth: { type: 'http' } } },
  });
  expect(shown).toMatchObject({
    security: [{ bearerAuth: [] }],
    paths: {
      '/api/uploads': { get: {}, post: { security: [{ bearerAuth: [] }] } },
      '/logout': { post: { security: [] } },
    },
    components: { securitySchemes: { bearerAuth: { type: 'http' } } },
  });
  expect(Object.keys(shown.components.securitySchemes)).toEqual(['bearerAuth']);
  expect(shown.info.description).toMatch(
    /Create a token in the dashboard.*answered with 401\..*## Conventions\n\nThe API\.$/s,
  );
});
