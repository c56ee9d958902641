import type { Clock } from '../../contract/clock.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { Step } from '../plan/next-step.ts';
import type { Apply } from './step-context.ts';

/** How long outcomes wait for those of other steps, so that they are committed together. */
const togetherMs = 1_000;

/** A step that ended: its outcome, or why it failed. */
export interface EndedStep {
  readonly step: Step;
  readonly outcome: readonly Apply[];
  readonly failure?: { readonly reason: unknown };
}

/**
 * The steps of one request that are being executed. A call to an instance that does not answer may take a minute; the
 * steps of other attempts are planned and executed meanwhile.
 */
export class StepsInFlight {
  readonly #clock: Clock;
  readonly #claimed: ClaimedRequest;
  readonly #running = new Map<Step, Promise<void>>();
  #ended: EndedStep[] = [];

  constructor(clock: Clock, claimed: ClaimedRequest) {
    this.#clock = clock;
    this.#claimed = claimed;
  }

  get none(): boolean {
    return this.#running.size === 0;
  }

  /** Whether orders are about to be stored. */
  get opens(): boolean {
    return this.#some(({ do: name }) => name === 'open');
  }

  get observes(): boolean {
    return this.#some(({ do: name }) => name === 'observe' || name === 'verify');
  }

  /** Whether a step of an attempt is executed. */
  has(attempt: number): boolean {
    return this.#some((step) => attemptOf(step) === attempt);
  }

  /** Whether a step may begin beside those that are executed. */
  allows(step: Step): boolean {
    return this.none || besideOthers.has(step.do);
  }

  begin(steps: readonly Step[], execute: (step: Step) => Promise<readonly Apply[]>): void {
    for (const step of steps) {
      const running = execute(step).then(
        (outcome) => this.#end({ step, outcome }),
        (reason: unknown) => this.#end({ step, outcome: [], failure: { reason } }),
      );
      this.#running.set(step, running);
    }
  }

  /** Waits until these steps have ended, or some time has passed: the outcomes so far are committed then. */
  async wait(steps: readonly Step[]): Promise<void> {
    const over = new AbortController();
    const ends = Promise.all(steps.map((step) => this.#running.get(step)));
    await Promise.race([ends, this.#clock.sleep(togetherMs, over.signal)]);
    over.abort(null);
  }

  /** Waits until a step ends, the request is to be planned again, or `ms` have passed. */
  async next(ms: number | undefined): Promise<void> {
    if (this.#ended.length > 0) return;
    const over = new AbortController();
    const waits: Promise<unknown>[] = [...this.#running.values(), this.#claimed.called()];
    if (ms !== undefined) waits.push(this.#clock.sleep(ms, over.signal));
    await Promise.race(waits);
    over.abort(null);
  }

  /** Waits until all steps have ended. */
  async rest(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** The steps that ended since the last call. */
  take(): readonly EndedStep[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  #end(ended: EndedStep): void {
    this.#running.delete(ended.step);
    this.#ended.push(ended);
  }

  #some(is: (step: Step) => boolean): boolean {
    for (const step of this.#running.keys()) if (is(step)) return true;
    return false;
  }
}

/**
 * The steps that may begin while calls for other attempts are executed. The other ones conclude something about the
 * request as a whole.
 */
const besideOthers: ReadonlySet<Step['do']> = new Set([
  'open',
  'launch',
  'recover',
  'observe',
  'verify',
  'release',
  'dispose',
  'close',
  'leave',
  'mark-lost',
  'trim',
  'replace',
  'leases',
] as const);

function attemptOf(step: Step): number | undefined {
  if ('attempt' in step) return step.attempt.attempt;
  return step.do === 'release' ? step.pending.attempt.attempt : undefined;
}
