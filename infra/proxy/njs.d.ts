/** The part of an nginx request that the modules here use. */
export type NginxRequest = {
  method: string;
  variables: Record<string, string | undefined>;
  headersOut: Record<string, string>;
  return(status: number, body?: string): void;
  error(message: string): void;
  subrequest(uri: string, options: { method: string }): Promise<{ status: number; responseText: string | undefined }>;
};

declare global {
  // Read by js_preload_object when nginx starts or loads its configuration again, and shared by all requests.
  /** base64url secrets by key id */
  const signingKeys: Record<string, string>;
  /** empty until the node has some */
  const credentials: { accessKeyId?: string; secretAccessKey?: string; sessionToken?: string };
}
