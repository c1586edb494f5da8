import { inject } from 'vitest';
import { testFront } from './public/test-front.ts';

// Caddy, which npm test does not install, is tested by test/long/public-server.test.ts.
testFront('nginx', async () => inject('clip'));
