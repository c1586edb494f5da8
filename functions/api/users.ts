import { api } from '../http.ts';

export const handler = api([]);
