import type { ActionCall } from '../../dispatch/action.ts';
import { readableRecords, readableUntil } from '../../fleets/fleet-history.ts';
import { membersAt, type StandingFleet } from '../../state/fleets/standing-fleet.ts';
import { draw } from '../../knobs/span.ts';
import { healthOf } from '../../state/instances/health.ts';
import { missingParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { activeInstancesXml, eventTypes, historyXml } from '../../wire/xml/fleet-members-xml.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { oneOf, time } from '../../wire/values.ts';
import { nextTokenXml, timestamp } from '../../wire/xml/xml.ts';

type Member = ReturnType<typeof membersAt>[number];

const memberFields: FilterFields<Member> = {
  'instance-type': (member) => member.instance.reservation.spec.type.instance_type,
};

/** A page of the machines of a fleet, as of `stale_ms` ago. */
export function membersPageXml(call: ActionCall, fleet: StandingFleet, filtered: boolean): string {
  const page = pageRequest(call, { min: 1, max: 1000 });
  const filters = readFilters(call.params, filtered ? memberFields : {}, false);
  const members = membersAt(fleet, call.now - draw(call.knobs.fleets.stale_ms, call.random));
  const { entries, next } = pageOf(
    members.filter((member) => passes(member, filters, memberFields)),
    page,
  );
  const healthy = ({ instance }: Member) => {
    const { instance: own, system } = healthOf(call, instance);
    return own !== 'impaired' && system !== 'impaired';
  };
  return activeInstancesXml(entries, healthy) + nextTokenXml(next);
}

/** A page of the history of a fleet. `undefined` stands for an instant fleet, which has no history. */
export function historyPageXml(
  call: ActionCall,
  fleet: StandingFleet | undefined,
  kind: StandingFleet['kind'],
): string {
  const since = time(call.params, 'StartTime');
  if (since === undefined) throw missingParameter('StartTime');
  const page = pageRequest(call, { min: 1, max: 1000 });
  const words = eventTypes[kind];
  const type = oneOf(call.params, 'EventType', [...new Set(Object.values(words))]);
  const records = fleet === undefined ? [] : readableRecords(call, fleet, since);
  const { entries, next } = pageOf(
    records.filter((record) => type === undefined || words[record.kind] === type),
    page,
  );
  return (
    historyXml(entries, kind) +
    timestamp('lastEvaluatedTime', readableUntil(call)) +
    nextTokenXml(next) +
    timestamp('startTime', since)
  );
}
