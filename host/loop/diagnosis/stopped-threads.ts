import type { Stoppage } from '../../../core/reconciler/background/stoppages.ts';
import type { Log } from '../../../core/contract/log.ts';
import type { Quarantined } from '../../../core/providers/guard/session-pool.ts';
import type { TrackedCalls } from './shared-call-tracking.ts';
import { Quarantine } from './quarantine.ts';
import { endedBy, diagnoseHang, type HangDiagnosis } from './hang-diagnosis.ts';
import type { ThreadStack } from './thread-stack.ts';

/** What the URLs of muster's own code begin with. */
const own = ['core/', 'host/', 'config/', 'node_modules/p-limit/', 'node_modules/dataloader/'].map(
  (folder) => new URL(`../../../${folder}`, import.meta.url).href,
);

/** Finds who stopped loop threads, and charges them: what the next thread is to leave alone, and to store. */
export class StoppedThreads {
  readonly #log: Log;
  readonly #quarantine: Quarantine;
  #stoppages: readonly Stoppage[] = [];
  /** Of whom calls were under way when a thread last ended by itself. */
  #before: readonly string[] = [];

  constructor(log: Log, quarantine_ms: number | undefined) {
    this.#log = log;
    this.#quarantine = new Quarantine(() => performance.now(), quarantine_ms);
  }

  /** For the next thread. */
  get charges(): { readonly quarantine: readonly Quarantined[]; readonly stopped: readonly Stoppage[] } {
    return { quarantine: this.#quarantine.present(), stopped: this.#stoppages };
  }

  /** A thread stored what it was told of. */
  stored(): void {
    this.#stoppages = [];
  }

  /** A thread hangs. `stack`: where, if that could be seen. */
  hung(thread: number, stack: ThreadStack | undefined, marks: TrackedCalls): void {
    const suspects = diagnoseHang(stack, marks, own);
    const { names, where, of } = suspects;
    const at = where === undefined ? '' : ` in ${where}`;
    const frames = stack?.frames.map(({ name, url, line }) => `${name} (${url}:${line})`);
    this.#log.error({ thread, suspects: names, ...of, stack: frames }, `The loop thread hangs${at}; it is replaced.`);
    this.#charge(suspects, `held the loop's thread up${at} until that was replaced`);
  }

  /** A thread ended by itself. */
  ended(marks: TrackedCalls): void {
    const suspects = endedBy(marks, this.#before);
    this.#before = marks.under_way;
    this.#charge(suspects, `ended the loop's thread`);
  }

  #charge({ names, of }: HangDiagnosis, did: string): void {
    const unsure = names.length > 1 ? ', or that of another whose calls were under way,' : '';
    const called = of ? `, called for request ${of.request_id}` : '';
    for (const name of names) {
      const charged = this.#quarantine.add(name, of, ({ ms, template_id }) => {
        const until = new Date(Date.now() + ms).toISOString();
        const whom = template_id === undefined ? 'of it' : `for requests of template '${template_id}'`;
        return `Its plugin${unsure} ${did}${called}; nothing ${whom} is called before ${until}.`;
      });
      const { ms, template_id } = charged;
      if (of) {
        const why = `The plugin of '${name}' ${did}.`;
        this.#stoppages = [...this.#stoppages, { ...of, instance: name, why, at: Date.now(), ms }];
      }
      const whom = template_id === undefined ? name : `${name} is not called for requests of template '${template_id}', and`;
      const message = `${whom} is left alone for ${Math.round(ms / 1000)} s, because its plugin stopped the loop's thread.`;
      this.#log.error({ of: name, ms, ...of }, message);
    }
  }
}
