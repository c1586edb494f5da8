/** The messages between the page and the viewer in its frame. */
export type ViewerRequest = {
  id: number;
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
};

export type ViewerResponse =
  | { id: number; status: number; statusText: string; headers: [string, string][]; body: ArrayBuffer | null }
  | { id: number; error: string };

/** Statuses whose responses have no body; `new Response` refuses an empty one for them too. */
export const isBodiless = (status: number): boolean => [101, 204, 205, 304].includes(status);
