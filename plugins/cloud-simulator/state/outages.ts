import type { CallContext } from './call-context.ts';
import { fits } from '../pattern.ts';
import { AwsError } from '../wire/errors.ts';

/** Whether a zone is out of service. */
export function isOut(context: CallContext, zone: string): boolean {
  return context.knobs.outages.some((rule) => fits(rule.zone, zone) && context.rules.inForce(rule, context));
}

/** The zones of the region that are out of service. */
export function zonesOut(context: CallContext): readonly string[] {
  return context.knobs.outages.length === 0 ? [] : context.state.network.zones.filter((zone) => isOut(context, zone));
}

export function unavailable(zone: string): AwsError {
  return new AwsError(
    'Unavailable',
    `The server is overloaded and can't handle the request: Availability Zone ${zone} does not respond.`,
  );
}
