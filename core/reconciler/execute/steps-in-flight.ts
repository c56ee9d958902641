import type { Clock } from '../../contract/clock.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { InFlight } from '../plan/plan-context.ts';
import { followsEnd } from '../plan/follows-end.ts';
import type { Step } from '../plan/step.ts';
import type { Apply } from './step-context.ts';

/** How long outcomes wait for those of other steps, so that they are committed together. */
const togetherMs = 1_000;

/** The bounds of a wait. Timers of the system bound it as well: they end at once when they are set to weeks. */
const shortestMs = 20;
const longestMs = 60_000;

/** A step that ended: its outcome, or why it failed. */
export interface EndedStep {
  readonly step: Step;
  readonly outcome: readonly Apply[];
  readonly failure?: { readonly reason: unknown };
}

/**
 * The steps of one request from their beginning until their outcomes are stored. A call to an instance that does not
 * answer may take a minute; the steps of other attempts are planned and executed meanwhile.
 */
export class StepsInFlight implements InFlight {
  readonly #clock: Clock;
  readonly #claimed: ClaimedRequest;
  /** The steps, with their ends. */
  readonly #steps = new Map<Step, Promise<void>>();
  /** Those whose outcomes are not stored yet. */
  #ended: EndedStep[] = [];

  constructor(clock: Clock, claimed: ClaimedRequest) {
    this.#clock = clock;
    this.#claimed = claimed;
  }

  get none(): boolean {
    return this.#steps.size === 0;
  }

  /** Whether a conclusion waits for observations at most. */
  get letsConclude(): boolean {
    return !this.#some((step) => !isLook(step) && this.#isAwaited(step));
  }

  get allowsConclusion(): boolean {
    return !this.#some((step) => this.#isAwaited(step));
  }

  incomingTold(attempt: number): number | undefined {
    for (const step of this.#steps.keys())
      if (step.do === 'release' && step.pending.attempt.attempt === attempt) return step.pending.target.incoming;
    return undefined;
  }

  /** As what a plan sees that must make no orders and conclude nothing. */
  withoutOrders(): InFlight {
    return {
      opens: true,
      letsConclude: false,
      allowsConclusion: this.allowsConclusion,
      incomingTold: (attempt) => this.incomingTold(attempt),
      has: (attempt) => this.has(attempt),
      changes: (attempt) => this.changes(attempt),
    };
  }

  /** Whether orders are about to be stored. */
  get opens(): boolean {
    return this.#some(({ do: name }) => name === 'open');
  }

  /** Whether a step of an attempt is executed, or ended without its outcome being stored. */
  has(attempt: number): boolean {
    return this.#some((step) => attemptOf(step) === attempt);
  }

  /** Whether a step of an attempt is executed that may change its machines. */
  changes(attempt: number): boolean {
    return this.#some((step) => attemptOf(step) === attempt && step.do !== 'observe' && step.do !== 'verify');
  }

  /** Whether an instance is being connected. */
  reaches(instance: string): boolean {
    return this.#some((step) => step.do === 'reach' && step.instance === instance);
  }

  /** Whether a step may begin beside those that are executed. */
  allows(step: Step): boolean {
    if (!besideOthers.has(step.do)) return this.allowsConclusion;
    // Of a step that concerns no single attempt, one at a time.
    return attemptOf(step) !== undefined || step.do === 'reach' || !this.#some((each) => each.do === step.do);
  }

  /** Whether outcomes wait to be stored. */
  get hasEnded(): boolean {
    return this.#ended.length > 0;
  }

  begin(steps: readonly Step[], execute: (step: Step) => Promise<readonly Apply[]>): readonly Step[] {
    for (const step of steps) {
      const running = execute(step).then(
        (outcome) => this.#end({ step, outcome }),
        (reason: unknown) => this.#end({ step, outcome: [], failure: { reason } }),
      );
      this.#steps.set(step, running);
    }
    return steps;
  }

  /** Waits until these steps have ended, or some time has passed: the outcomes so far are committed then. */
  async wait(steps: readonly Step[]): Promise<void> {
    if (steps.length === 0) return;
    const over = new AbortController();
    const ends = Promise.all(steps.map((step) => this.#steps.get(step)));
    await Promise.race([ends, this.#clock.sleep(togetherMs, over.signal)]);
    over.abort(null);
  }

  /** Waits until a step ends, the request is to be planned again, or about `ms` have passed. */
  async next(ms: number): Promise<void> {
    if (this.#ended.length > 0) return;
    const over = new AbortController();
    const time = this.#clock.sleep(Math.min(Math.max(ms, shortestMs), longestMs), over.signal);
    await Promise.race([...this.#steps.values(), this.#claimed.called, time]);
    over.abort(null);
  }

  /** Waits until all steps have ended. */
  async rest(): Promise<void> {
    await Promise.all(this.#steps.values());
  }

  /** The steps that ended since the last call. They stay in flight until `conclude`. */
  take(): readonly EndedStep[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** The outcomes of these steps are stored. */
  conclude(ended: readonly EndedStep[]): void {
    for (const { step } of ended) this.#steps.delete(step);
  }

  /** Whether a conclusion waits for a step. */
  #isAwaited(step: Step): boolean {
    return !followsEnd(step, this.#claimed.state.request) && !this.#isReachedAgain(step);
  }

  /**
   * Whether a step connects once more to an instance that could not be reached: nothing waits for that. After the
   * time-out of the request, the first connection that ends since then is waited for.
   */
  #isReachedAgain(step: Step): boolean {
    if (step.do !== 'reach') return false;
    const { reached_at, state } = this.#claimed;
    const late = this.#claimed.now() - state.request.deadline_at;
    const since = late < 0 ? -Infinity : this.#clock.monotonic() - late;
    return (reached_at.get(step.instance) ?? -Infinity) > since;
  }

  #end(ended: EndedStep): void {
    this.#ended.push(ended);
  }

  #some(is: (step: Step) => boolean): boolean {
    for (const step of this.#steps.keys()) if (is(step)) return true;
    return false;
  }
}

const isLook = ({ do: name }: Step): boolean => name === 'observe' || name === 'verify';

/**
 * The steps that may begin while calls for other attempts are executed. The other ones conclude something about the
 * request as a whole: only releases, and what removes the rest of an old attempt, may be under way.
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
  'repeated',
  'forget',
  'reach',
] as const);

function attemptOf(step: Step): number | undefined {
  if ('attempt' in step) return step.attempt.attempt;
  return step.do === 'release' ? step.pending.attempt.attempt : undefined;
}
