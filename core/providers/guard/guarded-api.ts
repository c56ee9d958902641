import type { ProviderFault } from '../../contract/fault.ts';
import type { Capabilities } from '../../contract/provider/capabilities.ts';
import type {
  ReleaseTarget,
  Launch,
  LaunchOrder,
  Observation,
  Progress,
  Watched,
} from '../../contract/provider/orders-and-reports.ts';
import type { ProviderApi } from '../../contract/provider/provider-api.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { checkFound, checkLaunch, checkPrepared, checkProgress } from '../answer-checks/answers.ts';
import { boundedWait } from '../answer-checks/sound-fault.ts';
import type { GuardedCalls, Permit } from './guarded-calls.ts';
import { observeAll } from './observe-all.ts';
import type { Verb } from './time-outs.ts';

/**
 * A provider API of one connected instance: the verbs of `ProviderApi`, bound to the session. Each verb rejects only
 * with a ProviderFault or ClaimLost, within a bounded time, and its answer satisfies the contract. A verb that the API
 * does not have is absent.
 */
export interface GuardedApi {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** For messages: `'east' (EC2Fleet)`. */
  readonly where: string;
  /** The plugin of the API, for messages. */
  readonly plugin: string | undefined;
  readonly prepare?: (order: LaunchOrder, permit: Permit) => Promise<unknown>;
  launch(order: LaunchOrder<any, any>, permit: Permit): Promise<Launch>;
  observe(watched: readonly Watched[], permit: Permit): Promise<readonly (Observation | ProviderFault)[]>;
  release(handle: object, target: ReleaseTarget, permit: Permit): Promise<Progress>;
  readonly dispose?: (
    left: { readonly order: LaunchOrder<any, any>; readonly handle?: object },
    permit: Permit,
  ) => Promise<Progress>;
  readonly find?: (order: LaunchOrder<any, any>, permit: Permit) => Promise<object | undefined>;
}

export function guardedApi(api: ProviderApi, session: unknown, calls: GuardedCalls): GuardedApi {
  const where = `'${calls.instance}' (${api.name})`;
  const plugin = pluginOf(api);
  const dispose = api.dispose?.bind(api);
  const changing = (verb: Verb, noun: string) => ({
    verb,
    what: `${noun} at ${where}`,
    plugin,
    api: api.name,
    mutating: true,
  });
  const asking = (verb: Verb, what: string) => ({ verb, what, plugin, api: api.name });
  return {
    name: api.name,
    capabilities: api.capabilities,
    where,
    plugin,
    ...(api.prepare && {
      prepare: (order, permit) =>
        calls.call(
          changing('prepare', 'preparation'),
          permit,
          async (call) => api.prepare?.(session, order, call),
          checkPrepared,
        ),
    }),
    launch: (order, permit) =>
      calls.call(changing('launch', 'launch'), permit, async (call) => api.launch(session, order, call), checkLaunch),
    observe(watched, permit) {
      const about = asking('observe', `observation of ${where}`);
      return observeAll(api, session, watched, calls, about, permit);
    },
    release: (handle, target, permit) =>
      calls
        .call(
          changing('release', 'release'),
          permit,
          async (call) => api.release(session, handle, target, call),
          checkProgress,
        )
        .then(bounded),
    ...(dispose && {
      dispose: (left, permit) =>
        calls
          .call(changing('dispose', 'clean-up'), permit, async (call) => dispose(session, left, call), checkProgress)
          .then(bounded),
    }),
    ...(api.find && {
      find: (order, permit) =>
        calls.call(
          asking('find', `search at ${where}`),
          permit,
          async (call): Promise<object | undefined> => api.find?.(session, order, call),
          checkFound,
        ),
    }),
  };
}

const bounded = (given: Progress): Progress =>
  given.again_ms === undefined ? given : { ...given, again_ms: boundedWait(given.again_ms) };
