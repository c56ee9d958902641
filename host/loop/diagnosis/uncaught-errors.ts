import type { Log } from '../../../core/contract/log.ts';
import { thrownError } from '../../../core/providers/answer-checks/thrown-error.ts';
import type { SharedCallTracking } from './shared-call-tracking.ts';
import type { CallOwner } from './call-owner-slot.ts';
import { instancesOf, type PluginRoots } from './plugin-roots.ts';

/**
 * Handles errors that no code catches, for example in a timer, which would end the thread. An error that occurs for a
 * provider instance or an event sink is logged and reported to `failed`; no code of muster was running. The same holds
 * for an error without owner that was thrown in the code of a plugin: it counts against all instances of the plugin.
 * Every other error ends the thread.
 */
export function attributeUncaughtErrors(
  tracking: SharedCallTracking,
  roots: PluginRoots,
  log: Log,
  failed: (owner: CallOwner, message: string) => void,
): void {
  const onUncaught = (error: unknown): void => {
    const owner = tracking.owner();
    const err = thrownError(error);
    const names = owner ? [owner.name] : instancesOf(err, roots);
    if (names.length === 0) throw error;
    const message = `Its plugin threw an error that no caller catches, for example in a timer: ${err.message}`;
    for (const name of names) {
      failed(owner ?? { name }, message);
      log.error({ err, of: name, ...owner?.of }, `${name}: ${message}. This is a bug of the plugin.`);
    }
  };
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);
}
