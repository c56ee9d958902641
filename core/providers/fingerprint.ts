import { createHash } from 'node:crypto';
import type { ProviderInstance } from '../model/provider-instance.ts';

/**
 * Stands for what an instance connects with: its type and its config, secrets included. What was found with another one says nothing of it. Of a value
 * that is no JSON it says what JSON says of it.
 */
export function fingerprint({ name, type, config }: ProviderInstance): string {
  return createHash('sha256')
    .update(JSON.stringify([name, type, config]))
    .digest('hex')
    .slice(0, 32);
}
