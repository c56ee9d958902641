import type { Checkup } from '../../core/providers/checkup.ts';
import type { Discovering } from '../../core/providers/discover-now.ts';
import { hidingIn } from '../process/secrets.ts';

/**
 * The answers of a loop about its provider instances, without the secrets of the configuration: a cloud, or a library
 * of a plugin, may repeat the password of a call in a message, and a plugin in what it found.
 */
export function maskedAnswers(loop: Checkup & Discovering, secrets: readonly string[]): Checkup & Discovering {
  const hide = hidingIn(secrets);
  return {
    check: async (instance) => hide(await loop.check(instance)),
    discover: async (instance) => hide(await loop.discover(instance)),
    trouble: () => loop.trouble(),
  };
}
