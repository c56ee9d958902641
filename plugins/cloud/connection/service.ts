import type { Call, PluginContext, ProviderFault } from '../../../core/index.ts';
import { slowCallMs } from './clients.ts';
import type { CallContext } from '../faults/faults.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** A command of the SDK, as far as we look at it. */
interface SdkCommand {
  readonly middlewareStack: unknown;
  readonly input: unknown;
  resolveMiddleware(...args: any[]): (...args: any[]) => Promise<{ output: unknown }>;
}
type OutputOf<C extends SdkCommand> =
  Awaited<ReturnType<ReturnType<C['resolveMiddleware']>>> extends { output: infer Output } ? Output : never;

/** How one service of the cloud is spoken to. */
export interface Service<Sdk> {
  /** Asks a question. The SDK repeats it as configured. Throws a ProviderFault. */
  read<C extends SdkCommand>(make: (sdk: Sdk) => C, call: Call): Promise<OutputOf<C>>;
  /**
   * Changes the cloud: sent exactly once, after `call.fence()` as close to the wire as the SDK lets us. Throws a
   * ProviderFault, or what the fence threw. `slow`: the call may take as long as starting a thousand machines does. /
   */
  write<C extends SdkCommand>(
    make: (sdk: Sdk) => C,
    call: Call,
    options?: { readonly slow?: boolean },
  ): Promise<OutputOf<C>>;
}

interface Sender {
  send(command: any, options: object): Promise<unknown>;
}

/** What the services of a session share. */
export interface About {
  readonly readMs: number;
  readonly rateLimiter: RateLimiter;
  /** What an action is counted as: its own name where each has a rate of its own. */
  laneOf(action: string): string;
  fail(error: unknown, context: CallContext): ProviderFault;
  /**
   * Counts what was asked of the cloud, each call once, with the SDK's repetitions and without the wait for its turn.
   */
  readonly calls?: PluginContext['calls'];
}

/** `open` gives the SDK of the service with its clients; `fail` tells what an error means. */
export function serviceOf<Sdk>(
  open: () => Promise<{ readonly sdk: Sdk; readonly read: Sender; readonly write: Sender }>,
  about: About,
): Service<Sdk> {
  /**
   * Sends when the rate limiter lets the call through. `judge` says what an error means; undefined: nothing was asked
   * of the cloud.
   */
  async function limited(
    command: SdkCommand,
    call: Call,
    judge: (error: unknown) => ProviderFault | undefined,
    send: () => Promise<unknown>,
  ): Promise<any> {
    const action = nameOf(command);
    const lane = about.laneOf(action);
    await about.rateLimiter.acquire(lane, machinesOf(command), call.signal);
    const began = performance.now();
    try {
      const answer = await send();
      about.calls?.record({ action, ms: performance.now() - began });
      return answer;
    } catch (error) {
      const { kind } = about.fail(error, { action, mutating: false });
      if (kind === 'throttled') about.rateLimiter.throttled(lane);
      const fault = judge(error);
      if (fault) about.calls?.record({ action, ms: performance.now() - began, kind: fault.kind });
      throw error;
    }
  }

  return {
    async read(make, call) {
      let action = 'opening the cloud';
      const judge = (error: unknown) => about.fail(error, { action, mutating: false });
      try {
        const { sdk, read } = await open();
        const command = make(sdk);
        action = nameOf(command);
        return await limited(command, call, judge, () => read.send(command, { abortSignal: call.signal }));
      } catch (error) {
        throw judge(error);
      }
    },

    async write(make, call, options = {}) {
      let action = 'opening the cloud';
      let sent = false;
      let refused: unknown;
      const judge = (error: unknown) =>
        refused === undefined ? about.fail(error, { action, mutating: true, sent }) : undefined;
      try {
        const { sdk, write } = await open();
        const command = make(sdk);
        action = nameOf(command);
        const atTheWire = (next: (args: unknown) => Promise<unknown>) => async (args: unknown) => {
          // What is given up before it is sent was certainly not done.
          call.signal.throwIfAborted();
          try {
            call.fence();
          } catch (error) {
            refused = error;
            throw error;
          }
          sent = true;
          return next(args);
        };
        // The last of the last step: behind it is only the connection.
        (command.middlewareStack as any).add(atTheWire, { step: 'deserialize', priority: 'low', name: 'musterFence' });
        const requestTimeout = Math.max(about.readMs, options.slow ? slowCallMs : 0);
        return await limited(command, call, judge, () =>
          write.send(command, { abortSignal: call.signal, requestTimeout }),
        );
      } catch (error) {
        throw judge(error) ?? refused;
      }
    },
  };
}

/** `RunInstances` of a RunInstancesCommand. */
const nameOf = (command: SdkCommand): string => command.constructor.name.replace(/Command$/, '');

/** How many machines a call starts or ends: the cloud counts them beside the calls. */
function machinesOf({ input }: SdkCommand): number {
  const { MaxCount, InstanceIds } = input as { readonly MaxCount?: number; readonly InstanceIds?: readonly string[] };
  return MaxCount ?? InstanceIds?.length ?? 0;
}
