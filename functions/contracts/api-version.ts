/** Version of the API. Paths contain no version. */
export const apiVersion = '0.2.0';
