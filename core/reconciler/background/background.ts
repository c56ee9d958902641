import type { Budgets } from '../../budgets/budgets.ts';
import type { EventSink } from '../../contract/events.ts';
import type { ProviderInstance } from '../../model/provider-instance.ts';
import type { CallTracking } from '../../providers/guard/call-tracking.ts';
import type { BackgroundParts } from './background-parts.ts';
import { BudgetWatch } from './budgets/budget-watch.ts';
import { Discovery } from './discovery.ts';
import type { ProviderMeter } from '../../providers/guard/meter/provider-meter.ts';
import { EventDelivery } from './event-delivery.ts';
import { ExpectedMachineLookup } from './expected-machine-lookup.ts';
import type { HealthWatch } from '../health/health-watch.ts';
import { NoticeReception } from './notices/notice-reception.ts';
import { Retention } from './retention/retention.ts';
import { Sweep } from './sweep/sweep.ts';
import { UnknownHostLookup } from './unknown-host-lookup.ts';

interface AllParts extends BackgroundParts {
  readonly health: HealthWatch;
  readonly budgets: Budgets;
  readonly instances: readonly ProviderInstance[];
  readonly installation: string;
  readonly sinks: readonly EventSink[];
  readonly watch: CallTracking;
  readonly meter: ProviderMeter;
  quarantined(instance: string, template_id?: string): boolean;
}

/** The work of the loop that belongs to no request. Each task decides itself when it is due. */
export class Background {
  readonly #parts: AllParts;
  readonly #sweep: Sweep;
  readonly #discovery: Discovery;
  readonly #unknownHosts: UnknownHostLookup;
  readonly #expectedMachines: ExpectedMachineLookup;
  readonly #delivery: EventDelivery;
  readonly #reception: NoticeReception;
  readonly #retention: Retention;
  readonly #budgets: BudgetWatch;

  constructor(parts: AllParts) {
    this.#parts = parts;
    this.#sweep = new Sweep(parts);
    this.#discovery = new Discovery(parts);
    this.#unknownHosts = new UnknownHostLookup(parts);
    this.#expectedMachines = new ExpectedMachineLookup(parts);
    this.#delivery = new EventDelivery(parts);
    this.#reception = new NoticeReception(parts);
    this.#retention = new Retention(parts);
    this.#budgets = new BudgetWatch(parts);
  }

  /** Begins what is due. Waits for the removal of old records only. */
  async everyRound(): Promise<void> {
    const { instances, health, pool, signal, log } = this.#parts;
    this.#delivery.begin();
    this.#reception.begin(instances);
    void health.check(instances, pool, signal);
    this.#sweep.begin(instances);
    this.#discovery.begin(instances);
    this.#unknownHosts.begin(instances);
    this.#expectedMachines.begin();
    this.#budgets.begin();
    await this.#retention
      .run()
      .catch((error: unknown) => log.warn({ err: error }, 'Old records could not be removed; this will be retried.'));
  }

  /** Begins nothing more, and resolves when the running tasks have ended. */
  async stop(): Promise<void> {
    const followers = [this.#unknownHosts, this.#expectedMachines, this.#delivery, this.#reception];
    for (const each of followers) each[Symbol.dispose]();
    const running = [this.#parts.health, this.#sweep, this.#discovery, this.#budgets, ...followers];
    await Promise.all(running.map((each) => each.idle()));
  }
}
