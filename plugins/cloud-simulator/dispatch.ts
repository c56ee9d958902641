import { createHash, randomUUID } from 'node:crypto';
import type { Action, ActionCall } from './action.ts';
import { actionFor } from './actions/index.ts';
import type { AuditEntry } from './audit.ts';
import { faultError, faultFor } from './faults.ts';
import type { FaultRule } from './knobs/wire-knobs.ts';
import { draw } from './knobs/span.ts';
import type { Simulation } from './simulation.ts';
import { type Caller, readCaller } from './wire/caller.ts';
import { AwsError } from './wire/errors.ts';
import type { Form } from './wire/form.ts';
import { knownVersion, type Protocol, protocolOf } from './wire/protocols.ts';

/** What the caller is to get, and how. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly requestId: string;
  /** How it goes wrong on the wire, if it does. */
  readonly fault: FaultRule | undefined;
  readonly delayMs: number;
  /** The call's line in the audit; absent for what is not a call at all. */
  readonly entry: AuditEntry | undefined;
}

/** Runs one call of the wire protocol to its reply. Synchronous: calls take effect one after another, in order of arrival. */
export function dispatch(simulation: Simulation, form: Form, authorization: string | undefined): Reply {
  const requestId = randomUUID();
  const protocol = protocolOf(form.flat['Version']);
  const name = form.flat['Action'] ?? '';
  let caller: Caller;
  let action: Action;
  try {
    caller = readCaller(authorization);
    action = findAction(name, protocol, form.flat['Version']);
  } catch (error) {
    return refusal(protocol, asAwsError(error), requestId);
  }
  return runAction(simulation, action, form, caller, protocol, requestId);
}

function runAction(simulation: Simulation, action: Action, form: Form, caller: Caller, protocol: Protocol, requestId: string): Reply {
  const { audit, clock } = simulation;
  const now = clock.now();
  const state = simulation.world.region(caller.account, caller.region);
  const tokenName = action.token ?? 'ClientToken';
  const call: ActionCall = {
    ...simulation.moment(state, now),
    action: action.name,
    params: form.params,
    token: form.flat[tokenName] || undefined,
    paramsHash: hashOf(form.flat, tokenName),
    accessKey: caller.accessKey,
  };
  const { knobs } = call;
  call.state.agenda.settle(now);

  let fault: FaultRule | undefined;
  let outcome: { readonly inner: string } | { readonly error: AwsError };
  let executed = false;
  try {
    throttle(simulation, action, call);
    fault = faultFor(call, action.name);
    if (fault?.effect === 'skip') {
      outcome = { error: faultError(fault) };
    } else {
      outcome = { inner: execute(action, call) };
      executed = true;
    }
  } catch (error) {
    outcome = { error: asAwsError(error) };
    // A refused call that had touched something took effect in part, such as an end of machines of which one zone is protected.
    executed = call.touched.length > 0;
  }
  // What the caller is told; an executed call may be told as an error.
  const told = fault?.then === 'error' && !('error' in outcome) ? { error: faultError(fault) } : outcome;
  const entry = audit.append({
    at: new Date(now).toISOString(),
    account: caller.account,
    region: caller.region,
    action: action.name,
    token: call.token ?? null,
    params_hash: call.paramsHash,
    ids: call.touched,
    executed,
    answered: false,
    code: fault !== undefined && fault.effect === 'skip' && fault.then !== 'error' ? null : 'error' in told ? told.error.code : null,
    fault: fault === undefined ? null : `${fault.effect}/${fault.then}`,
  });
  const delayMs = (fault?.delay_ms ?? 0) + draw(knobs.latency_ms[action.name] ?? knobs.latency_ms['*'] ?? 0, call.random);
  const body = 'error' in told ? protocol.failure(told.error, requestId) : protocol.success(action.name, told.inner, requestId);
  return { status: 'error' in told ? told.error.status : 200, body, requestId, fault, delayMs, entry };
}

function execute(action: Action, call: ActionCall): string {
  if (String(call.params['DryRun']).toLowerCase() === 'true') {
    throw new AwsError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.');
  }
  return action.handle(call);
}

function throttle(simulation: Simulation, action: Action, call: ActionCall): void {
  const { params } = call;
  simulation.throttle.check(
    {
      action: action.name,
      mutating: action.mutating,
      whole: Object.keys(params).every((key) => key === 'Action' || key === 'Version'),
      resources: action.resources?.(params) ?? 0,
    },
    call,
  );
}

function findAction(name: string, protocol: Protocol, version: string | undefined): Action {
  const action = knownVersion(version) ? actionFor(protocol.version, name) : undefined;
  if (action === undefined) throw new AwsError('InvalidAction', `The action ${name} is not valid for this web service.`);
  return action;
}

function refusal(protocol: Protocol, error: AwsError, requestId: string): Reply {
  return { status: error.status, body: protocol.failure(error, requestId), requestId, fault: undefined, delayMs: 0, entry: undefined };
}

// A fault of the simulator itself must look like one of the cloud, or the caller's SDK could not read it.
function asAwsError(error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  return new AwsError(
    'InternalError',
    `The simulated cloud failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
}

function hashOf(flat: Readonly<Record<string, string>>, tokenName: string): string {
  const keys = Object.keys(flat).filter((key) => key !== tokenName);
  const text = keys
    .toSorted()
    .map((key) => `${key}=${flat[key]}`)
    .join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
