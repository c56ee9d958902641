import { isBrokerError } from '../../contract/errors.ts';
import { silentLog, type Log } from '../../contract/log.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { assertAtOnce } from '../answer-checks/assertions.ts';
import { unwatched, type CallTracking } from './call-tracking.ts';
import { pluginFault } from './guard.ts';
import type { ProviderFault } from '../../contract/fault.ts';

/** The context of calls to the synchronous functions of plugins. */
export interface AskingParts {
  readonly log: Log;
  /** Tracks which plugin code runs, for the diagnosis of hangs. */
  readonly watch: CallTracking;
}

const mostLogged = 1_000;

/**
 * Calls the synchronous functions of plugins, which call no provider. They run in threads that must not stop, among
 * them the thread that serves HTTP. An exception or an invalid value is logged once and returned as a fault.
 */
export class Asking {
  readonly #parts: AskingParts;
  readonly #logged = new Set<string>();

  constructor(parts: Partial<AskingParts> = {}) {
    this.#parts = { log: silentLog, watch: unwatched, ...parts };
  }

  /**
   * Returns the answer, or the failure of the plugin. `thing` is the object with the function. `what` names the call
   * in messages: `review of 'east' (Acme)`.
   */
  ask<T>(
    instance: string,
    thing: object | undefined,
    what: string,
    call: () => T,
    check: (answer: T) => void,
  ): T | PluginFailure {
    try {
      const answer = this.#parts.watch.pure(instance, call);
      assertAtOnce(answer);
      check(answer);
      return answer;
    } catch (error) {
      if (isBrokerError(error)) throw error;
      const plugin = pluginOf(thing);
      const fault = pluginFault(error, { what, plugin, log: this.#oncePer(`${plugin} ${what}`) }, 'unavailable');
      return new PluginFailure(fault);
    }
  }

  #oncePer(about: string): Log {
    const { log } = this.#parts;
    return {
      ...log,
      error: (fields, message) => {
        const line = `${about} ${message}`;
        if (this.#logged.has(line) || this.#logged.size >= mostLogged) return;
        this.#logged.add(line);
        log.error(fields, message);
      },
    };
  }
}

/** Returned instead of an answer when a plugin failed. */
export class PluginFailure {
  readonly fault: ProviderFault;

  constructor(fault: ProviderFault) {
    this.fault = fault;
  }
}
