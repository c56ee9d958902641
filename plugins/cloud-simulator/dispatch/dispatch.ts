import { randomUUID, createHash } from 'node:crypto';
import type { Action, ActionCall } from './action.ts';
import { actionFor } from '../actions/index.ts';
import { admit } from './admit.ts';
import { endDryRun } from './dry-run.ts';
import type { AuditEntry } from './audit.ts';
import { faultError, faultFor } from './faults.ts';
import { draw } from '../knobs/span.ts';
import type { FaultRule } from '../knobs/wire-knobs.ts';
import type { Simulation } from '../simulation.ts';
import { throttle } from './throttle.ts';
import { type Caller, type CallerHeaders, readCaller } from '../wire/caller.ts';
import { AwsError } from '../wire/errors.ts';
import { type Form, part, parts } from '../wire/form.ts';
import { refuseUnknownParameters } from '../wire/parameters/unknown-parameters.ts';
import { knownVersion, type Protocol, protocolOf } from '../wire/protocols.ts';
import { flag } from '../wire/values.ts';

/** The answer to a call, and how it is sent. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** Content type of the body. */
  readonly type: string;
  readonly requestId: string;
  /** The fault of the answer on the wire, if any. */
  readonly fault: FaultRule | undefined;
  /** Delay before the head of the answer. */
  readonly delayMs: number;
  /** The `Date` of the answer in epoch milliseconds; undefined = the computer's time. */
  readonly date: number | undefined;
  /** The audit entry of the call; undefined if the request is not a valid call. */
  readonly entry: AuditEntry | undefined;
  /** A better answer that may come, before which nothing is sent. */
  readonly later?: { readonly ms: number; body(): string | undefined };
  /** Headers of the protocol beside those of all answers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Runs one call of the wire protocol and returns its reply. Synchronous: calls take effect one after another, in
 * order of arrival. The steps are: recognize the call, admit the caller, throttle, choose a fault, execute, reply.
 */
export function dispatch(simulation: Simulation, form: Form, headers: CallerHeaders): Reply {
  try {
    const { action, caller, protocol } = recognize(form, headers);
    const call = callOf(simulation, action, form, caller);
    call.state.timers.settle(call.now);
    const result = run(action, call, caller, protocol.service);
    return replyTo(simulation, call, result, protocol);
  } catch (error) {
    return refuse(form, asAwsError(error), dateOf(simulation));
  }
}

/**
 * SDKs correct their clock by the `Date` of answers. With `clock_skew_ms`, it is the time against which signatures
 * are checked.
 */
function dateOf({ clock, knobs }: Simulation): number {
  const { clock_skew_ms } = knobs.current.auth;
  return clock_skew_ms === 0 ? clock.now() : Date.now() + clock_skew_ms;
}

/** The answer to a request that is not a valid call: in the protocol of its version, without an audit entry. */
export function refuse(form: Form, error: AwsError, date?: number): Reply {
  const requestId = randomUUID();
  const protocol = protocolOf(form.flat['Version']);
  const body = protocol.failure(error, requestId);
  return {
    status: error.status,
    body,
    type: protocol.type,
    headers: protocol.errorHeaders?.(error) ?? {},
    requestId,
    fault: undefined,
    delayMs: 0,
    date,
    entry: undefined,
  };
}

interface RecognizedCall {
  readonly action: Action;
  readonly caller: Caller;
  readonly protocol: Protocol;
}

function recognize({ flat }: Form, headers: CallerHeaders): RecognizedCall {
  const name = flat['Action'];
  const version = flat['Version'];
  if (!name) throw new AwsError('MissingAction', 'The request is missing the parameter Action.');
  const caller = readCaller(headers);
  const protocol = protocolOf(version);
  const action = knownVersion(version) ? actionFor(protocol.version, name) : undefined;
  if (action === undefined)
    throw new AwsError('InvalidAction', `The action ${name} is not valid for this web service in version ${version}.`);
  return { action, caller, protocol };
}

function callOf(simulation: Simulation, action: Action, form: Form, caller: Caller): ActionCall {
  const tokenName = action.token ?? 'ClientToken';
  return {
    ...simulation.world.region(caller.account, caller.region).contextAt(simulation.clock.now()),
    action: action.name,
    params: form.params,
    token: form.flat[tokenName] || undefined,
    paramsHash: paramsHash(form.flat, tokenName),
    accessKey: caller.accessKey,
    sessions: simulation.sessions,
    later: [],
  };
}

/** The result of a call before its encoding. */
interface CallResult {
  readonly fault: FaultRule | undefined;
  readonly executed: boolean;
  readonly outcome: Outcome;
}

type Outcome = { readonly inner: string } | { readonly error: AwsError };

function run(action: Action, call: ActionCall, caller: Caller, service: string): CallResult {
  let fault: FaultRule | undefined;
  try {
    admit(call, caller, service);
    throttle(action, service, call);
    fault = faultFor(call, action.name);
    if (fault?.effect === 'skip') return { fault, executed: false, outcome: { error: faultError(fault, service) } };
    return { fault, executed: true, outcome: { inner: execute(action, call, service) } };
  } catch (error) {
    // A refused call that touched a resource took partial effect, such as TerminateInstances with a protected machine
    // in one of several zones.
    return { fault, executed: call.touched.length > 0, outcome: { error: asAwsError(error) } };
  }
}

function execute(action: Action, call: ActionCall, service: string): string {
  if (service !== 'ec2') return action.handle(call);
  refuseUnknownParameters(action.name, call.params);
  checkFilterLimits(call);
  flag(call.params, 'DryRun');
  const answer = action.handle(call);
  // Reading actions run to their end, to check the parameters.
  endDryRun(call);
  return answer;
}

function replyTo(
  simulation: Simulation,
  call: ActionCall,
  { fault, executed, outcome }: CallResult,
  protocol: Protocol,
): Reply {
  const { knobs, state } = call;
  // A fault can report an executed call as an error.
  const shown =
    fault?.then === 'error' && !('error' in outcome) ? { error: faultError(fault, protocol.service) } : outcome;
  const silent = fault?.effect === 'skip' && fault.then !== 'error';
  const entry = simulation.audit.append({
    at: new Date(call.now).toISOString(),
    account: state.account,
    region: state.region,
    action: call.action,
    token: call.token ?? null,
    params_hash: call.paramsHash,
    ids: call.touched,
    executed,
    answered: false,
    code: 'error' in shown && !silent ? shown.error.code : null,
    fault: fault === undefined ? null : `${fault.effect}/${fault.then}`,
  });
  const requestId = randomUUID();
  const latencyMs = draw(knobs.latency_ms[call.action] ?? knobs.latency_ms['*'] ?? 0, call.random);
  return {
    ...('error' in shown
      ? {
          status: shown.error.status,
          body: protocol.failure(shown.error, requestId),
          headers: protocol.errorHeaders?.(shown.error) ?? {},
        }
      : { status: 200, body: protocol.success(call.action, shown.inner, requestId) }),
    type: protocol.type,
    requestId,
    fault,
    delayMs: latencyMs + (fault === undefined || fault.then === 'slow-body' ? 0 : (fault.delay_ms ?? 0)),
    date: dateOf(simulation),
    entry,
    ...laterOf(simulation, call, fault),
  };
}

function laterOf({ clock }: Simulation, { later }: ActionCall, fault: FaultRule | undefined): Pick<Reply, 'later'> {
  const [first] = later;
  return first === undefined || fault !== undefined
    ? {}
    : { later: { ms: first.ms, body: () => first.answer(clock.now()) } };
}

// A failure of the simulator takes the form of an AWS error, so that the caller's SDK can read it.
function asAwsError(error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  return new AwsError(
    'InternalError',
    `The simulated cloud failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
}

/** Refuses a call with more filters, or more values in a filter, than EC2 accepts. */
function checkFilterLimits({ params, knobs: { limits } }: ActionCall): void {
  const filters = parts(params, 'Filter');
  if (filters.length > limits.filters) throw limitExceeded(`The maximum number of filters is ${limits.filters}`);
  const long = filters.some((filter) => Object.keys(part(filter, 'Value') ?? {}).length > limits.filter_values);
  if (long)
    throw limitExceeded(`The maximum number of filter values specified on a single call is ${limits.filter_values}`);
}

function limitExceeded(message: string): AwsError {
  return new AwsError('FilterLimitExceeded', message);
}

/** Equal for calls with equal parameters, whatever the value of `tokenName`. */
function paramsHash(flat: Readonly<Record<string, string>>, tokenName: string): string {
  const keys = Object.keys(flat).filter((key) => key !== tokenName);
  const text = keys
    .toSorted()
    .map((key) => `${key}=${flat[key]}`)
    .join('\n');
  return createHash('sha256').update(text).digest().toString('hex', 0, 12);
}
