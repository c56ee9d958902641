import { evenSample } from '../../collections/even-sample.ts';
import type { MachineReport } from '../../contract/provider/orders-and-reports.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Clock } from '../../contract/clock.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { Settings } from '../settings.ts';
import { isSettled } from '../state/attempt.ts';
import { isAlive } from '../state/machine-life.ts';
import type { RequestState } from '../state/request-state.ts';
import { Durations, type Phase } from './durations.ts';
import { intervalOf } from './interval.ts';

/** With more changing machines at an instance, observations share the common times of `observe_moving_ms`. */
const fewMoving = 100;
/** Requests with more machines are always observed at the common times. */
const fewMachines = 1_000;
/**
 * Of more reports in one answer, so many are learned from: only the latest durations of each type and place are
 * remembered, and reports of ten thousand machines would block the thread.
 */
const mostLearned = 500;
/** How long a count of the changing machines of an instance is used. */
const countedForMs = 1_000;

type Observed = Pick<ClaimedRequest, 'state' | 'observation_failed' | 'now'>;

/**
 * When an attempt with starting or ending machines is observed next. Few machines are observed when their change is
 * likely, by the durations of earlier changes; many at common times, so that one call serves many requests.
 */
export class Cadence {
  readonly #durations = new Durations();
  readonly #counted = new Map<string, { readonly at: number; readonly many: boolean }>();
  readonly #clock: Clock;
  readonly #settings: Settings;
  readonly #claimed: () => Iterable<{ readonly state: RequestState }>;

  /** `claimed` lists the requests of this process. */
  constructor(clock: Clock, settings: Settings, claimed: () => Iterable<{ readonly state: RequestState }>) {
    this.#clock = clock;
    this.#settings = settings;
    this.#claimed = claimed;
  }

  /** Milliseconds between the last observation of the attempt and the next one, while something changes. */
  intervalOf(claimed: Observed, attempt: AttemptRecord): number {
    const { observe_moving_ms: most, observe_expected_ms } = this.#settings;
    const least = Math.min(observe_expected_ms, most);
    const { state } = claimed;
    // An instance with trouble is not asked more often for it.
    if (claimed.observation_failed.has(attempt.attempt)) return most;
    if (state.machines.counts().alive > fewMachines || this.#isMany(state, attempt)) return most;
    const now = claimed.now();
    const wait = (phase: Phase, since: number, machine: Parameters<Durations['expected']>[1]) =>
      intervalOf(now - since, this.#durations.expected(phase, machine), { least, most });
    let interval = most;
    if (!isSettled(attempt)) interval = wait('arrival', attempt.sent_at ?? attempt.created_at, attempt);
    for (const machine of state.machines.of(attempt.attempt)) {
      if (interval <= least) return least;
      if (!isAlive(machine)) continue;
      if (machine.released_at !== undefined)
        interval = Math.min(interval, wait('shutdown', machine.released_at, machine));
      else if (machine.going === undefined && machine.ready_at === undefined)
        interval = Math.min(interval, wait('boot', machine.created_at, machine));
    }
    return interval;
  }

  /**
   * Learns from an observation. `unseen_ms`: the time since the observation before it, within which the changes
   * happened. Must be called before the observation is applied.
   */
  learn(claimed: Observed, attempt: AttemptRecord, machines: readonly MachineReport[], unseen_ms: number): void {
    const now = claimed.now();
    const learn = (phase: Phase, since: number, machine: Parameters<Durations['learn']>[1]) =>
      this.#durations.learn(phase, machine, {
        from: Math.max(0, now - since - unseen_ms),
        to: Math.max(0, now - since),
      });
    const { provider_instance } = attempt;
    for (const { machine_id, ready, status, machine_type, zone } of evenSample(machines, mostLearned)) {
      const known = claimed.state.machines.get({ provider_instance, machine_id });
      if (!known) learn('arrival', attempt.sent_at ?? attempt.created_at, attempt);
      else if (!isAlive(known)) continue;
      else if (status === 'terminated' && known.released_at !== undefined) learn('shutdown', known.released_at, known);
      else if (ready && known.ready_at === undefined && known.going === undefined)
        learn('boot', known.created_at, {
          ...known,
          ...(machine_type === undefined ? {} : { machine_type }),
          ...(zone === undefined ? {} : { zone }),
        });
    }
  }

  #isMany(own: RequestState, { provider_instance }: AttemptRecord): boolean {
    if (changingAt(own, provider_instance) > fewMoving) return true;
    const now = this.#clock.monotonic();
    const counted = this.#counted.get(provider_instance);
    if (counted && now - counted.at < countedForMs) return counted.many;
    let changing = 0;
    for (const { state } of this.#claimed()) {
      changing += changingAt(state, provider_instance);
      if (changing > fewMoving) break;
    }
    const many = changing > fewMoving;
    this.#counted.set(provider_instance, { at: now, many });
    return many;
  }
}

/** The machines of a request that start, end or are expected at an instance. */
function changingAt({ attempts, machines }: RequestState, instance: string): number {
  let changing = 0;
  for (const attempt of attempts) {
    if (attempt.provider_instance !== instance || attempt.disposed) continue;
    const { alive, going, unready } = machines.counts(attempt.attempt);
    changing += going + unready;
    if (!isSettled(attempt)) changing += Math.max(0, attempt.order.machine_count - alive);
  }
  return changing;
}
