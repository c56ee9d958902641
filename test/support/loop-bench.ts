import { newRequestId } from '../../core/model/ids.ts';
import { memoryDriver } from './memory-driver.ts';
import { startLoop } from '../../core/reconciler/loop.ts';
import type { RunningLoop } from '../../core/reconciler/running-loop.ts';
import type { Settings } from '../../core/reconciler/settings.ts';
import type { Kind } from '../../core/model/kinds.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import type { Preference } from '../../core/model/request.ts';
import { ProviderDirectory } from '../../core/providers/directory.ts';
import { choose } from '../../core/providers/choose.ts';
import type { Quarantined } from '../../core/providers/quarantine/quarantine.ts';
import { Facts } from '../../core/providers/facts.ts';
import { Explanations, type Explanation } from '../../core/requests/explain/explanations.ts';
import { RequestQueries } from '../../core/requests/queries/request-queries.ts';
import type { RequestInput } from '../../core/requests/open-request.ts';
import { RequestService } from '../../core/requests/request-service.ts';
import { LeaseCommands } from '../../core/requests/leases/lease-commands.ts';
import { RequestCommands } from '../../core/requests/request-commands.ts';
import { silentLog, type Change, type RequestDetail, type Store, type Template } from '../../core/index.ts';
import { FakeClock } from './fake-clock.ts';
import { ScriptedCloud, scriptedApi, scriptedType } from './scripted-cloud.ts';
import { aBroker } from '../../plugin-testkit/storage/records.ts';
import { Budgets } from '../../core/budgets/budgets.ts';
import type { Budget } from '../../core/budgets/budget.ts';

export interface LoopBench {
  readonly clock: FakeClock;
  readonly clouds: Readonly<Record<string, ScriptedCloud>>;
  readonly store: Store;
  readonly requestService: RequestService;
  readonly requestCommands: RequestCommands;
  readonly leaseCommands: LeaseCommands;
  request(
    machine_count: number,
    template?: Partial<Template>,
    preference?: Preference,
    given?: Pick<RequestInput, 'additional_data' | 'tags'>,
  ): Promise<string>;
  /** Changes the configuration of an instance; the loop runs by it from its next start. */
  configure(instance: string, fields: Partial<ProviderInstance>): void;
  /** From the next start on nothing is called at an instance for requests of a template. */
  leaveAlone(name: string, template_id: string, ms: number): void;
  status(request_id: string): Promise<Required<RequestDetail>>;
  explain(request_id: string): Promise<Explanation>;
  /** What the storage does before each method that a loop calls: it may take time, or reject. */
  readonly storage: { before?: (method: string, changes: readonly Change[]) => Promise<void> };
  /** Asks for fresh observations of requests. */
  refresh(request_ids: readonly string[]): void;
  /** The requests that were observed since they were asked for. */
  readonly refreshed: readonly string[];
  /** Why the loop carries nothing out; undefined: it does. */
  trouble(): string | undefined;
  restart(): Promise<void>;
  /** From now on the storage tells the loop of nothing. */
  silence(): void;
  /** Ends the loop as kill -9 would, before its n-th commit from now on or at once, and starts another. */
  kill(beforeCommit?: number): Promise<void>;
  close(): Promise<void>;
}

interface Life {
  readonly store: Store;
  silence(): void;
  /** Gives whether it has ended. */
  endBefore(commit: number): () => boolean;
}

/** The store as one loop has it. Once the loop is killed it has no answer to anything. */
function lifeOn(store: Store, storage: LoopBench['storage']): Life {
  let left = Infinity;
  let silent = false;
  const never = () => new Promise<never>(() => undefined);
  const proxy = new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== 'function') return found;
      if (name === 'watch')
        return (on: (kinds: ReadonlySet<Kind>) => void) => target.watch((kinds) => (silent ? undefined : on(kinds)));
      return (...args: unknown[]) => {
        if (name === 'commit' && left > 0) left -= 1;
        if (left <= 0) return never();
        const changes = name === 'commit' ? (args[0] as readonly Change[]) : [];
        return storage.before
          ? storage.before(String(name), changes).then(() => found.apply(target, args))
          : found.apply(target, args);
      };
    },
  });
  return {
    store: proxy,
    silence: () => void (silent = true),
    endBefore(commit) {
      left = commit;
      return () => left <= 0;
    },
  };
}

/** Ids that are made in one millisecond have no order: requests of one time would be worked on in any order. */
function requestIdAfter(last: string): string {
  for (;;) {
    const next = newRequestId();
    if (next > last) return next;
  }
}

/** A desk and a loop on the memory store, over scripted clouds, in time that the test moves. */
export async function loopBench(
  clouds: Readonly<Record<string, ScriptedCloud>>,
  settings: Partial<Settings> = {},
  limits: Partial<ProviderInstance['limits']> = {},
  sweep: ProviderInstance['sweep'] = 'off',
  finds = false,
  budgets: readonly Budget[] = [],
): Promise<LoopBench> {
  const clock = new FakeClock();
  let last = '';
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  const instances = Object.entries(clouds).map(
    ([name, cloud], index): ProviderInstance => ({
      name,
      type: 'scripted',
      enabled: true,
      priority: index + 1,
      weight: 10,
      config: { cloud },
      template_defaults: {},
      sweep,
      limits: { max_instances_per_request: 10_000, max_concurrent_requests: null, ...limits },
    }),
  );
  const [first] = Object.values(clouds);
  if (!first) throw new Error('A bench needs a cloud.');
  const apis = [scriptedApi(first.capabilities, first.offers, finds, first)];
  const facts = new Facts(store, clock);
  await facts.follow();
  let directory = new ProviderDirectory(instances, [scriptedType], apis, facts);
  const requestService = new RequestService(store, clock, new Budgets(budgets, directory, facts), 1_000);
  const requestQueries = new RequestQueries(store, clock, { refresh: () => undefined, refreshedAt: () => undefined });
  let thread = 0;
  const storage: LoopBench['storage'] = {};
  const quarantine: Quarantined[] = [];
  const refreshed: string[] = [];
  let loop: RunningLoop;
  let life: Life;
  const start = () => {
    life = lifeOn(store, storage);
    return startLoop({
      store: life.store,
      instances,
      types: [scriptedType],
      apis,
      budgets,
      schemes: [],
      data_directory: '',
      clock,
      log: silentLog,
      broker: aBroker({ thread: ++thread }),
      settings,
      quarantine: [...quarantine],
      refreshed: (request_ids) => void refreshed.push(...request_ids),
    });
  };
  loop = await start();
  return {
    clock,
    clouds,
    store,
    requestService,
    requestCommands: new RequestCommands(store, clock),
    leaseCommands: new LeaseCommands(store, clock),
    async request(machine_count, template = {}, preference = {}, given = {}) {
      const whole = { template_id: 'small', ...template } as Template;
      const request_id = (last = requestIdAfter(last));
      const input = { template: whole, machine_count, ...given };
      await requestService.admit(input);
      await requestService.create(
        input,
        choose({ template: whole }, { key: request_id, machine_count }, preference, directory),
        {
          request_id,
        },
      );
      return request_id;
    },
    configure(name, fields) {
      for (const [index, instance] of instances.entries())
        if (instance.name === name) instances[index] = { ...instance, ...fields };
      directory = new ProviderDirectory(instances, [scriptedType], apis, facts);
    },
    leaveAlone: (name, template_id, ms) =>
      void quarantine.push({ name, template_id, ms, why: `'${template_id}' hung.` }),
    async status(request_id) {
      return (await (await requestQueries.status(request_id, true)).load()) as Required<RequestDetail>;
    },
    explain: async (request_id) => (await new Explanations(store, clock, directory).of(request_id)).load(),
    storage,
    refresh: (request_ids) => loop.refresh(request_ids),
    refreshed,
    trouble: () => loop.trouble(),
    async restart() {
      await Promise.all([loop.stop(), clock.advance(20_000)]);
      loop = await start();
    },
    silence: () => life.silence(),
    async kill(beforeCommit = 1) {
      const killed = life.endBefore(beforeCommit);
      for (let i = 0; i < 600 && !killed(); i++) await clock.advance(100);
      if (!killed()) {
        life.endBefore(Infinity);
        throw new Error(`The loop did not come to its commit ${beforeCommit} within a minute.`);
      }
      loop = await start();
    },
    async close() {
      await Promise.all([loop.stop(), clock.advance(20_000)]);
      await store.close();
    },
  };
}
