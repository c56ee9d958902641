import type { FaultRule } from '../knobs/wire-knobs.ts';
import type { CallContext } from '../state/call-context.ts';
import { rateExceeded } from './throttle.ts';
import { AwsError } from '../wire/errors.ts';

/**
 * The fault that hits this call of `action`, if any. Every rule counts the call; the first rule that is due hits it.
 */
export function faultFor(context: CallContext, action: string): FaultRule | undefined {
  let due: FaultRule | undefined;
  for (const rule of context.knobs.faults) {
    const concerned = (rule.action === action || rule.action === '*') && context.rules.inForce(rule, context);
    // Later rules also count the call and draw their random number.
    if (concerned && isDue(rule, context)) due ??= rule;
  }
  return due;
}

function isDue(rule: FaultRule, { rules, random }: CallContext): boolean {
  const times = rule.times === undefined ? (rule.share === undefined ? 1 : null) : rule.times;
  if (!rules.hit(rule, rule.nth ?? 1, times)) return false;
  return rule.share === undefined || random.next() < rule.share;
}

/**
 * The maximum number of machines that the knob `partial` lets this call of `action` deliver; infinite without a rule.
 */
export function deliveryLimit(context: CallContext, action: string): number {
  const { knobs, rules } = context;
  const here = knobs.partial.filter(
    (rule) => (rule.action === action || rule.action === '*') && rules.inForce(rule, context),
  );
  const due = here.filter((rule) => rules.hit(rule, 1, rule.times ?? null));
  return Math.min(...due.map((rule) => rule.deliver), Number.POSITIVE_INFINITY);
}

/**
 * The error that a fault returns for a service. RequestLimitExceeded is an EC2 code; for other services it becomes
 * Throttling.
 */
export function faultError(rule: FaultRule, service: string): AwsError {
  const code = rule.code ?? 'InternalError';
  if (code === 'RequestLimitExceeded' && rule.status === undefined) return rateExceeded(service);
  const message =
    code === 'InternalError' ? 'An internal error has occurred' : `${code} by a fault rule of the simulated cloud`;
  return rule.status === undefined ? new AwsError(code, message) : new AwsError(code, message, rule.status);
}

/** The late failure of a new machine, if a rule of `late_failures` is due. */
export function lateFailureFor(
  context: CallContext,
  type: string,
  zone: string,
  bootMs: number,
): { readonly afterMs: number; readonly code: string; readonly message: string } | undefined {
  const { knobs, rules } = context;
  const due = knobs.late_failures.find(
    (rule) =>
      rules.inForce(rule, context) &&
      (rule.instance_type ?? type) === type &&
      (rule.zone ?? zone) === zone &&
      rules.hit(rule, 1, rule.times === undefined ? 1 : rule.times),
  );
  if (due === undefined) return undefined;
  const code = due.code ?? 'Server.InternalError';
  return { afterMs: due.after_ms ?? bootMs / 2, code, message: due.message ?? `${code}: Internal error on launch` };
}
