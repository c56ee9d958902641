import type { Call, PluginContext, ProviderFault } from '../../../core/index.ts';
import { slowCallMs } from './clients.ts';
import { sendFenced } from './fenced-connections.ts';
import type { CallContext } from '../faults/faults.ts';
import type { LimitedCall, RateLimiter } from './rates/rate-limiter.ts';

/** A command of the SDK, as far as this file uses it. */
interface SdkCommand {
  readonly middlewareStack: unknown;
  readonly input: unknown;
  resolveMiddleware(...args: any[]): (...args: any[]) => Promise<{ output: unknown }>;
}
type OutputOf<C extends SdkCommand> =
  Awaited<ReturnType<ReturnType<C['resolveMiddleware']>>> extends { output: infer Output } ? Output : never;

/** The calls of one service of the cloud. */
export interface Service<Sdk> {
  /**
   * Sends a call that reads. The SDK repeats it as configured. Throws a ProviderFault. `admitted`: `admit` allowed the
   * call.
   */
  read<C extends SdkCommand>(
    make: (sdk: Sdk) => C,
    call: Call,
    options?: { readonly admitted?: boolean },
  ): Promise<OutputOf<C>>;
  /**
   * Resolves when the rate limit allows a reading call of an action, and counts it: what the call asks for can be
   * decided then. Throws a ProviderFault.
   */
  admit(action: string, call: Call): Promise<void>;
  /** Whether the rate limit allows a call of an action immediately. */
  isFree(action: string): boolean;
  /**
   * Sends a call that changes the cloud, exactly once, after `call.fence()` before its connection is opened and again
   * when that stands. Throws a ProviderFault, or the error of the fence. `slow`: the call may take as long as the start
   * of a thousand machines.
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

/** What all services of a session share. */
export interface ServiceOptions {
  readonly readMs: number;
  readonly rateLimiter: RateLimiter;
  /** The name under which the rate limiter counts all actions. Absent: each action has its own rate. */
  readonly lane?: string;
  /** Milliseconds that the clock of AWS is ahead, as far as known. */
  skewMs(): number;
  fail(error: unknown, context: CallContext): ProviderFault;
  /** Records each call once, including the repetitions of the SDK and without the wait for the rate limiter. */
  readonly calls?: PluginContext['calls'];
}

/** Smaller corrections do not explain a refusal: AWS allows five minutes. */
const skewStepMs = 60_000;

/** The calls of a service. `open` returns the SDK of the service with its clients; `fail` classifies an error. */
export function serviceOf<Sdk>(
  open: () => Promise<{ readonly sdk: Sdk; readonly read: Sender; readonly write: Sender }>,
  service: ServiceOptions,
): Service<Sdk> {
  /**
   * Sends the call when the rate limiter allows it. `classify` returns the fault of an error; undefined: the call did
   * not reach the cloud.
   */
  async function sendWithinRate(
    command: SdkCommand,
    call: Call,
    classify: (error: unknown) => ProviderFault | undefined,
    send: () => Promise<unknown>,
    { admitted = false, changes = false }: { readonly admitted?: boolean; readonly changes?: boolean } = {},
  ): Promise<any> {
    const action = nameOf(command);
    const limited = limitedCall(action);
    if (!admitted) await service.rateLimiter.acquire(limited, machinesOf(command), call.signal);
    const began = performance.now();
    try {
      const answer = await send();
      service.calls?.record({ action, ms: performance.now() - began });
      if (changes) recordId(call, answer);
      return answer;
    } catch (error) {
      recordId(call, error);
      const { kind } = service.fail(error, { action, mutating: false });
      if (kind === 'throttled') service.rateLimiter.throttled(limited);
      const fault = classify(error);
      const ms = performance.now() - began;
      if (fault) service.calls?.record({ action, ms, kind: fault.kind, code: fault.code });
      throw error;
    }
  }

  const limitedCall = (action: string): LimitedCall => ({
    action,
    ...(service.lane === undefined ? {} : { lane: service.lane }),
  });

  /** Whether an answer since `before` corrected the time that calls are signed with. */
  const wrongClock = (before: number) => Math.abs(service.skewMs() - before) > skewStepMs;

  return {
    async admit(action, call) {
      try {
        await service.rateLimiter.acquire(limitedCall(action), 0, call.signal);
      } catch (error) {
        throw service.fail(error, { action, mutating: false });
      }
    },

    isFree: (action) => service.rateLimiter.isFree(limitedCall(action)),

    async read(make, call, options = {}) {
      let action = 'opening the cloud';
      const before = service.skewMs();
      const classify = (error: unknown) =>
        service.fail(error, { action, mutating: false, wrongClock: wrongClock(before) });
      try {
        const { sdk, read } = await open();
        const command = make(sdk);
        action = nameOf(command);
        const send = () => read.send(command, { abortSignal: call.signal });
        return await sendWithinRate(command, call, classify, send, options);
      } catch (error) {
        throw classify(error);
      }
    },

    async write(make, call, options = {}) {
      let action = 'opening the cloud';
      let sent = false;
      let fenceError: unknown;
      const before = service.skewMs();
      const classify = (error: unknown) =>
        fenceError === undefined
          ? service.fail(error, { action, mutating: true, sent, wrongClock: wrongClock(before) })
          : undefined;
      try {
        const { sdk, write } = await open();
        const command = make(sdk);
        action = nameOf(command);
        const pass = (): void => {
          call.signal.throwIfAborted();
          try {
            call.fence();
          } catch (error) {
            fenceError = error;
            throw error;
          }
        };
        const fenced = (next: (args: unknown) => Promise<unknown>) => async (args: unknown) => {
          pass();
          const atConnection = (): void => {
            pass();
            // Until here the call was certainly not executed.
            sent = true;
          };
          return sendFenced(atConnection, () => next(args));
        };
        // The last middleware of the last step: only the connection follows.
        (command.middlewareStack as any).add(fenced, { step: 'deserialize', priority: 'low', name: 'musterFence' });
        const requestTimeout = Math.max(service.readMs, options.slow ? slowCallMs : 0);
        const send = () => write.send(command, { abortSignal: call.signal, requestTimeout });
        return await sendWithinRate(command, call, classify, send, { changes: true });
      } catch (error) {
        throw classify(error) ?? fenceError;
      }
    },
  };
}

/** Records the request id of an answer or an error. AWS Support finds a call by it. */
function recordId(call: Call, answered: unknown): void {
  const { requestId } = (answered as { readonly $metadata?: { readonly requestId?: string } } | null)?.$metadata ?? {};
  if (requestId !== undefined) call.recordCloudRequest?.(requestId);
}

/** The action of a command: `RunInstances` for RunInstancesCommand. */
const nameOf = (command: SdkCommand): string => command.constructor.name.replace(/Command$/, '');

/** How many machines a call starts or terminates. The cloud limits them in addition to the calls. */
function machinesOf({ input }: SdkCommand): number {
  const { MaxCount, InstanceIds } = input as { readonly MaxCount?: number; readonly InstanceIds?: readonly string[] };
  return MaxCount ?? InstanceIds?.length ?? 0;
}
