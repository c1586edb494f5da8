import { expect, test } from 'vitest';
import { errorCodes } from '../../../functions/common/error-codes.ts';
import { errorBody } from '../../../local/server/error-body.ts';

test.each([400, 404, 408, 413, 414, 429, 431, 500, 503])(
  'an error %i of the server has a code of this status',
  (status) => {
    const { code, ...rest } = errorBody({ status, message: 'No.', requestId: 'one' }) as {
      code: keyof typeof errorCodes;
    };
    expect(errorCodes[code].status).toBe(status);
    expect(rest).toEqual({ message: 'No.', request_id: 'one' });
  },
);
