import type { FleetData } from '@aws-sdk/client-ec2';
import { ProviderFault, type Call } from '../../core/index.ts';
import {
  kindOfReason,
  pagesOf,
  targetWith,
  type CloudSession,
  type FleetPort,
  type FleetView,
} from '../cloud/index.ts';
import { targetParameters } from './target-parameters.ts';

/** EC2 fleets of type request and maintain, behind the interface that all standing fleets share. */
export const ec2FleetPort: FleetPort = {
  async describe(session, ids, call) {
    const views: FleetView[] = [];
    for await (const page of pages(session, { FleetIds: [...ids] }, call)) views.push(...page);
    return views;
  },

  async *list(session, call) {
    for await (const page of pages(session, { Filters: [{ Name: 'type', Values: ['request', 'maintain'] }] }, call))
      yield* page;
  },

  async retarget(session, id, target, call) {
    await session.write(
      (ec2) =>
        new ec2.ModifyFleetCommand({
          FleetId: id,
          // Sent each time: without it the fleet chooses machines to terminate.
          ExcessCapacityTerminationPolicy: 'no-termination',
          TargetCapacitySpecification: targetParameters(target),
        }),
      call,
    );
  },

  async stop(session, id, call) {
    const { UnsuccessfulFleetDeletions } = await session.write(
      (ec2) => new ec2.DeleteFleetsCommand({ FleetIds: [id], TerminateInstances: false }),
      call,
    );
    const error = UnsuccessfulFleetDeletions?.[0]?.Error;
    // A fleet that is being deleted, or is gone, needs no deletion. The next description of the fleet decides.
    if (!error || error.Code === 'fleetIdDoesNotExist') return;
    const code = error.Code ?? 'Unknown';
    throw new ProviderFault(
      kindOfReason(code, error.Message),
      `DeleteFleets: ${error.Message ?? id} Error Code: ${code}`,
      { code },
    );
  },

  async history(session, id, since, call) {
    const events = [];
    const asked = { FleetId: id, StartTime: since, MaxResults: 1000 };
    for await (const page of pagesOf((next) =>
      session.read((ec2) => new ec2.DescribeFleetHistoryCommand({ ...asked, ...next }), call),
    )) {
      // Events about machines that come and go explain nothing. Every other event may, whatever its type is.
      for (const { EventType, EventInformation } of page.HistoryRecords ?? []) {
        if (EventType === 'instance-change' || EventType === 'fleet-change') continue;
        events.push({
          sub_type: EventInformation?.EventSubType ?? '',
          description: EventInformation?.EventDescription ?? '',
        });
      }
    }
    return events;
  },
};

async function* pages(
  session: CloudSession,
  asked: { readonly FleetIds?: string[]; readonly Filters?: { readonly Name: string; readonly Values: string[] }[] },
  call: Call,
): AsyncGenerator<FleetView[]> {
  for await (const page of pagesOf((next) =>
    session.read((ec2) => new ec2.DescribeFleetsCommand({ ...asked, MaxResults: 1000, ...next }), call),
  ))
    yield (page.Fleets ?? []).map(viewOf);
}

function viewOf(fleet: FleetData): FleetView {
  const {
    TotalTargetCapacity: total = 0,
    OnDemandTargetCapacity,
    SpotTargetCapacity,
  } = fleet.TargetCapacitySpecification ?? {};
  const onDemand = OnDemandTargetCapacity ?? total - (SpotTargetCapacity ?? total);
  return {
    id: fleet.FleetId ?? '',
    state: (fleet.FleetState ?? 'submitted').replace('deleted', 'stopped') as FleetView['state'],
    hasError: fleet.ActivityStatus === 'error',
    ...(fleet.ClientToken === undefined ? {} : { token: fleet.ClientToken }),
    tags: fleet.Tags,
    ...(fleet.CreateTime === undefined ? {} : { created_at: fleet.CreateTime.toISOString() }),
    target: targetWith({ 'on-demand': onDemand, spot: total - onDemand }),
    fulfilled: fleet.FulfilledCapacity ?? 0,
    neverTerminates: fleet.ExcessCapacityTerminationPolicy === 'no-termination',
    ...(fleet.ValidUntil === undefined ? {} : { valid_until: fleet.ValidUntil.getTime() }),
  };
}
