import type { Moment } from '../dispatch/call-context.ts';
import { fits } from '../pattern.ts';
import { AwsError } from '../wire/errors.ts';

/** Whether a zone does not answer. */
export function isOut(moment: Moment, zone: string): boolean {
  return moment.knobs.outages.some((rule) => fits(rule.zone, zone) && moment.rules.inForce(rule, moment));
}

/** The zones of the region that do not answer. */
export function zonesOut(moment: Moment): readonly string[] {
  return moment.knobs.outages.length === 0 ? [] : moment.state.network.zones.filter((zone) => isOut(moment, zone));
}

export function unavailable(zone: string): AwsError {
  return new AwsError('Unavailable', `The server is overloaded and can't handle the request: Availability Zone ${zone} does not respond.`);
}
