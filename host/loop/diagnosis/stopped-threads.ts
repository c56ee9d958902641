import type { Stoppage } from '../../../core/providers/quarantine/stoppages.ts';
import type { Log } from '../../../core/contract/log.ts';
import type { Quarantined } from '../../../core/providers/quarantine/quarantine.ts';
import type { TrackedCalls } from './shared-call-tracking.ts';
import { QuarantineDurations } from './quarantine-durations.ts';
import { endedBy, diagnoseHang, type HangDiagnosis } from './hang-diagnosis.ts';
import type { ThreadStack } from './thread-stack.ts';

/** The prefixes of the URLs of muster's own code. Plugins are bundled beside `own`. */
const own = [
  'core/',
  'host/',
  'config/',
  'bundled/program/own/',
  'node_modules/p-limit/',
  'node_modules/dataloader/',
].map((folder) => new URL(`../../../${folder}`, import.meta.url).href);

/**
 * Determines which names stopped loop threads and quarantines them. The next thread gets the quarantines, and the
 * stoppages that it must store.
 */
export class StoppedThreads {
  readonly #log: Log;
  readonly #quarantine: QuarantineDurations;
  #stoppages: readonly Stoppage[] = [];
  /** The names with an open call when a thread last ended by itself. */
  #open_before: readonly string[] = [];

  constructor(log: Log, quarantine_ms: number | undefined) {
    this.#log = log;
    this.#quarantine = new QuarantineDurations(() => performance.now(), quarantine_ms);
  }

  /** The start data of the next thread. */
  get charges(): { readonly quarantine: readonly Quarantined[]; readonly stopped: readonly Stoppage[] } {
    return { quarantine: this.#quarantine.present(), stopped: this.#stoppages };
  }

  /** Call it when a thread has stored the stoppages. */
  stored(): void {
    this.#stoppages = [];
  }

  /** Records that a thread hangs. `stack`: its stack, when it could be read. */
  hung(thread: number, stack: ThreadStack | undefined, tracking: TrackedCalls): void {
    const suspects = diagnoseHang(stack, tracking, own);
    const { names, where, of } = suspects;
    const at = where === undefined ? '' : ` in ${where}`;
    const frames = stack?.frames.map(({ name, url, line }) => `${name} (${url}:${line})`);
    this.#log.error(
      { thread, suspects: names, ...of, stack: frames },
      `The loop thread hangs${at}; the server replaces it.`,
    );
    this.#charge(suspects, `blocked the loop thread${at} until the server replaced it`);
  }

  /** Records that a thread ended by itself. */
  ended(tracking: TrackedCalls): void {
    const suspects = endedBy(tracking, this.#open_before);
    this.#open_before = tracking.open;
    this.#charge(suspects, `ended the loop thread`);
  }

  #charge({ names, of }: HangDiagnosis, did: string): void {
    const unsure = names.length > 1 ? ', or that of another instance with open calls,' : '';
    const forRequest = of ? `, called for request ${of.request_id}` : '';
    for (const name of names) {
      const charged = this.#quarantine.add(name, of, ({ ms, template_id }) => {
        const until = new Date(Date.now() + ms).toISOString();
        const scope = template_id === undefined ? '' : ` for requests of template '${template_id}'`;
        return `Its plugin${unsure} ${did}${forRequest}; it is not called${scope} before ${until}.`;
      });
      const { ms, template_id } = charged;
      if (of) {
        const why = `The plugin of '${name}' ${did}.`;
        this.#stoppages = [...this.#stoppages, { ...of, instance: name, why, at: Date.now(), ms }];
      }
      const scope = template_id === undefined ? '' : ` for requests of template '${template_id}'`;
      const message = `${name} is not called${scope} for ${Math.round(ms / 1000)} s, because its plugin stopped the loop thread.`;
      this.#log.error({ of: name, ms, ...of }, message);
    }
  }
}
