/** The module that runtime 2.0 of CloudFront Functions provides. */
declare module 'cloudfront' {
  type KeyValueStore = {
    /** Rejects for a key that does not exist. */
    get(key: string): Promise<string>;
    exists(key: string): Promise<boolean>;
  };
  const cf: { kvs(): KeyValueStore };
  export default cf;
}
