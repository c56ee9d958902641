import type { Log } from '../core/log.ts';
import type { CallMarks, Whose } from './call-marks.ts';

/**
 * What is thrown where nobody waits for it, as in a timer, would end the thread. Where it runs in the name of a provider instance or an event sink it
 * is that one's, and is told; nothing of ours was on its way then. All else ends the thread as before.
 */
export function keepStrayErrors(marks: CallMarks, log: Log, failed: (whose: Whose, message: string) => void): void {
  const stray = (error: unknown): void => {
    const whose = marks.whose();
    if (whose === undefined) throw error;
    const { name, of } = whose;
    const err = error instanceof Error ? error : new Error(String(error));
    const message = `Its plugin threw where nobody waits for an answer, as in a timer: ${err.message}`;
    log.error({ err, of: name, ...of }, `${name}: ${message}. This is a bug of the plugin.`);
    failed(whose, message);
  };
  process.on('uncaughtException', stray);
  process.on('unhandledRejection', stray);
}
