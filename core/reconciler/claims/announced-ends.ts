import { gridAfter } from '../cadence/grid.ts';
import { isAnnouncedEnd } from '../state/machine-life.ts';
import type { Machines } from '../state/machine-set.ts';
import type { AnnouncedEnd } from '../state/request-state.ts';

/** The first observation comes after at most this share of the interval for machines that start or end. */
const firstShare = 4;
/** Answers of a cloud may be old: a machine is observed for so long until they show its end. */
const doubtedMs = 60_000;
/** Within this time after a notice its machine is observed as often as one that starts or ends. */
const soonMs = 10_000;
/** The interval afterwards. */
const laterMs = 10_000;
/** For so long decisions wait for observations after notices: notices that come all the time must put nothing off. */
const putOffMs = 15_000;

/** The announced ends of one attempt. Times are monotonic milliseconds. */
interface Announced {
  readonly ends: Map<string, AnnouncedEnd & { readonly since: number }>;
  newest: number;
  /** Since when a notice waits for its first observation. */
  unasked?: number | undefined;
  asked?: number;
  /** The start of the last observation that ended, and of the last one with an answer. */
  looked?: number;
  answered?: number;
}

/**
 * The machines of a request whose end a notice announced and no observation has shown yet. A notice alone changes
 * nothing, because it may be false: it only makes observations of its machine due, which decide. The number of calls
 * does not depend on the number of notices: all observations fall on common times, and end a minute after the last
 * notice. In memory: a request is observed anyway when it gets a new holder.
 */
export class AnnouncedEnds {
  readonly #byAttempt = new Map<number, Announced>();
  /** Since when each plan saw a notice that no observation had followed yet. */
  #news_since: number | undefined;

  add(end: AnnouncedEnd, now: number): void {
    const { attempt, machine_id } = end.machine;
    const known: Announced = this.#byAttempt.get(attempt) ?? { ends: new Map(), newest: now };
    this.#byAttempt.set(attempt, known);
    known.ends.set(machine_id, { ...end, since: now });
    known.newest = now;
    known.unasked ??= now;
    this.#news_since ??= now;
  }

  /** The ids of the machines of an attempt. */
  of(attempt: number): ReadonlySet<string> {
    return new Set(this.#byAttempt.get(attempt)?.ends.keys());
  }

  /** When the machines of an attempt are observed next. `movingMs`: the interval for machines that start or end. */
  due(attempt: number, movingMs: number): number | undefined {
    const announced = this.#byAttempt.get(attempt);
    if (!announced) return undefined;
    const { newest, unasked, asked } = announced;
    const first = unasked === undefined ? Infinity : gridAfter(unasked, movingMs / firstShare);
    if (asked === undefined) return first;
    return Math.min(first, gridAfter(asked, asked - newest < soonMs ? movingMs : laterMs));
  }

  /** For how many milliseconds decisions still wait, because a notice came that no observation followed yet. */
  putsOffMs(now: number): number {
    return this.#news_since === undefined ? 0 : Math.max(0, this.#news_since + putOffMs - now);
  }

  /** An observation begins. */
  asked(attempt: number, now: number): void {
    const announced = this.#byAttempt.get(attempt);
    if (!announced) return;
    announced.asked = now;
    announced.unasked = undefined;
  }

  /** It ended. The next one counts from here: one that lasts longer than the interval would be due again at once. */
  looked(attempt: number, began: number, now: number): void {
    const announced = this.#byAttempt.get(attempt);
    if (!announced) return;
    announced.asked = now;
    announced.looked = began;
  }

  /** An observation that began at `began` was answered. */
  answered(attempt: number, began: number): void {
    const announced = this.#byAttempt.get(attempt);
    if (announced) announced.answered = began;
  }

  /**
   * Forgets the ends that the machines show by now, and those that no answer showed for a minute. Returns the latter:
   * their notices were false.
   */
  settle(machines: Machines): readonly AnnouncedEnd[] {
    const refuted: AnnouncedEnd[] = [];
    for (const [attempt, { ends, answered = -Infinity }] of this.#byAttempt) {
      for (const [machine_id, end] of ends) {
        const machine = machines.get(end.machine);
        const isOpen = machine !== undefined && isAnnouncedEnd(end.status, machine);
        if (isOpen && answered - end.since < doubtedMs) continue;
        ends.delete(machine_id);
        if (isOpen) refuted.push(end);
      }
      if (ends.size === 0) this.#byAttempt.delete(attempt);
    }
    return refuted;
  }

  /**
   * The request is being planned. Only a plan without such a notice ends the time that they put decisions off:
   * otherwise a notice that comes between the observation and the plan would begin it anew.
   */
  planning(): void {
    for (const { newest, looked = -Infinity } of this.#byAttempt.values()) if (newest > looked) return;
    this.#news_since = undefined;
  }
}
