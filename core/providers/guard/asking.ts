import { isBrokerError } from '../../contract/errors.ts';
import { silentLog, type Log } from '../../contract/log.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { unwatched, type CallTracking } from './call-tracking.ts';
import { pluginFault } from './guard.ts';
import type { ProviderFault } from '../../contract/fault.ts';

/** What surrounds the functions of plugins that answer at once. */
export interface AskingParts {
  readonly log: Log;
  /** Who is asked, for the search after a hang. */
  readonly watch: CallTracking;
  /** Whether nothing of an instance may be called now; with a template: for its requests. */
  quarantined(instance: string, template_id?: string): boolean;
}

const mostTold = 1_000;

/**
 * Asks plugins what they answer at once, without a provider. They run in threads that must go on, the one that serves HTTP among them: what one throws,
 * and nonsense that it gives, is told in the log, each once, and a fault.
 */
export class Asking {
  readonly #parts: AskingParts;
  readonly #told = new Set<string>();

  constructor(parts: Partial<AskingParts> = {}) {
    this.#parts = { log: silentLog, watch: unwatched, quarantined: () => false, ...parts };
  }

  quarantined(instance: string, template_id?: string): boolean {
    return this.#parts.quarantined(instance, template_id);
  }

  /** The answer, or what is wrong with the plugin. `thing` has the function; `what` names it: `review of 'east' (Acme)`. */
  ask<T>(instance: string, thing: object | undefined, what: string, call: () => T, check: (answer: T) => void): T | Wrong {
    try {
      const answer = this.#parts.watch.pure(instance, call);
      check(answer);
      return answer;
    } catch (error) {
      if (isBrokerError(error)) throw error;
      const plugin = pluginOf(thing);
      const fault = pluginFault(error, { what, plugin, log: this.#oncePer(`${plugin} ${what}`) }, 'unavailable');
      return new Wrong(fault);
    }
  }

  #oncePer(about: string): Log {
    const { log } = this.#parts;
    return {
      ...log,
      error: (fields, message) => {
        const said = `${about} ${message}`;
        if (this.#told.has(said) || this.#told.size >= mostTold) return;
        this.#told.add(said);
        log.error(fields, message);
      },
    };
  }
}

/** In place of an answer. */
export class Wrong {
  readonly fault: ProviderFault;

  constructor(fault: ProviderFault) {
    this.fault = fault;
  }
}
