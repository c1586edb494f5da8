import { Construct } from 'constructs';
import type { Resource } from './function.ts';
import { parameters } from './parameters.ts';
import type { Settings } from './settings.ts';

/** Signed playback: the keys that sign the delivery paths. Proxies get the same keys when they are deployed. */
export class Delivery extends Construct {
  readonly signingKeys: Resource<'read' | 'write'>;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.signingKeys = parameters(this, settings, 'signing-keys');
  }
}
