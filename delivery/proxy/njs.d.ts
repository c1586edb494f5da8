/** The properties of an nginx request that these modules use. */
export type NginxRequest = {
  method: string;
  variables: Record<string, string | undefined>;
  headersOut: Record<string, string>;
  return(status: number, body?: string): void;
  error(message: string): void;
  subrequest(uri: string, options: { method: string }): Promise<{ status: number; responseText: string | undefined }>;
};

declare global {
  // js_preload_object reads them when nginx starts or reloads its configuration; all requests share them.
  /** base64url secrets by key id */
  const signingKeys: Record<string, string>;
  /** empty until the node has credentials */
  const credentials: { accessKeyId?: string; secretAccessKey?: string; sessionToken?: string };
}
