import type { Log } from '../../../core/contract/log.ts';
import type { SharedCallTracking } from './shared-call-tracking.ts';
import type { Whose } from './marked-name.ts';
import { instancesOf, type PluginPlaces } from './plugin-places.ts';

/**
 * What is thrown where nobody waits for it, as in a timer, would end the thread. Where it runs in the name of a
 * provider instance or an event sink it is that one's, and is told; nothing of ours was on its way then. So it is
 * where it runs in nobody's name and arose in the code of a plugin, of whatever instance: then it is held against all
 * that the plugin serves. All else ends the thread as before.
 */
export function keepUncaughtErrors(
  marks: SharedCallTracking,
  places: PluginPlaces,
  log: Log,
  failed: (whose: Whose, message: string) => void,
): void {
  const stray = (error: unknown): void => {
    const whose = marks.whose();
    const names = whose ? [whose.name] : instancesOf(error, places);
    if (names.length === 0) throw error;
    const err = error instanceof Error ? error : new Error(String(error));
    const message = `Its plugin threw where nobody waits for an answer, as in a timer: ${err.message}`;
    for (const name of names) {
      log.error({ err, of: name, ...whose?.of }, `${name}: ${message}. This is a bug of the plugin.`);
      failed(whose ?? { name }, message);
    }
  };
  process.on('uncaughtException', stray);
  process.on('unhandledRejection', stray);
}
