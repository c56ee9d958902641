import type { Checkup } from '../../core/providers/checkup.ts';
import type { Discovering } from '../../core/providers/discover-now.ts';
import type { ProviderActivity } from '../../core/providers/provider-activity.ts';
import { hidingIn } from '../process/secrets.ts';

type Answering = Checkup & Discovering & ProviderActivity;

/**
 * The answers of a loop about its provider instances, without the secrets of the configuration: a cloud, or a library
 * of a plugin, may repeat the password of a call in a message, and a plugin in what it found.
 */
export function maskedAnswers(loop: Answering, secrets: readonly string[]): Answering {
  const hide = hidingIn(secrets);
  return {
    check: async (instance) => hide(await loop.check(instance)),
    discover: async (instance) => hide(await loop.discover(instance)),
    calls: async () => hide(await loop.calls()),
    states: async () => hide(await loop.states()),
    trouble: async () => hide(await loop.trouble()),
  };
}
