/** Version of the API. Paths contain no version. */
export const apiVersion = '1.0.0';
