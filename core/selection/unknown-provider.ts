import { BrokerError } from '../contract/errors.ts';
import { hint } from '../schema/spelling.ts';

/** The error for a name that no configured provider instance has. */
export function unknownProvider(name: string, known: readonly string[]): BrokerError {
  return new BrokerError(
    'PROVIDER_NOT_FOUND',
    `Provider instance '${name}' is not in the configuration${hint(name, known)}`,
    {
      requested_provider: name,
      available_providers: known,
      suggestion: 'Name one of the configured instances.',
    },
  );
}
