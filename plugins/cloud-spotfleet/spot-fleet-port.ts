import type { SpotFleetRequestConfig } from '@aws-sdk/client-ec2';
import { ProviderFault, type Call } from '../../core/index.ts';
import {
  kindOfReason,
  pagesOf,
  targetWith,
  type CloudSession,
  type FleetPort,
  type FleetView,
} from '../cloud/index.ts';

/** Spot fleets behind the interface that all standing fleets share. */
export const spotFleetPort: FleetPort = {
  async describe(session, ids, call) {
    const views: FleetView[] = [];
    for await (const page of pages(session, { SpotFleetRequestIds: [...ids] }, call)) views.push(...page);
    return views;
  },

  async *list(session, call) {
    for await (const page of pages(session, {}, call)) yield* page;
  },

  async retarget(session, id, { total, units }, call) {
    await session.write(
      (ec2) =>
        new ec2.ModifySpotFleetRequestCommand({
          SpotFleetRequestId: id,
          // Sent each time: without it the fleet chooses machines to terminate.
          ExcessCapacityTerminationPolicy: 'noTermination',
          TargetCapacity: total,
          OnDemandTargetCapacity: units['on-demand'],
        }),
      call,
    );
  },

  async stop(session, id, call) {
    const { UnsuccessfulFleetRequests } = await session.write(
      (ec2) => new ec2.CancelSpotFleetRequestsCommand({ SpotFleetRequestIds: [id], TerminateInstances: false }),
      call,
    );
    const error = UnsuccessfulFleetRequests?.[0]?.Error;
    // A fleet that is gone needs no cancellation. The next description of the fleet decides.
    if (!error || error.Code === 'fleetRequestIdDoesNotExist') return;
    const code = error.Code ?? 'Unknown';
    throw new ProviderFault(
      kindOfReason(code, error.Message),
      `CancelSpotFleetRequests: ${error.Message ?? id} Error Code: ${code}`,
      {
        code,
      },
    );
  },

  async history(session, id, since, call) {
    const events = [];
    const asked = { SpotFleetRequestId: id, StartTime: since, MaxResults: 1000 };
    for await (const page of pagesOf((next) =>
      session.read((ec2) => new ec2.DescribeSpotFleetRequestHistoryCommand({ ...asked, ...next }), call),
    )) {
      // Reasons are in events of type error and of type information.
      for (const { EventType, EventInformation } of page.HistoryRecords ?? []) {
        if (EventType !== 'error' && EventType !== 'information') continue;
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
  asked: { readonly SpotFleetRequestIds?: string[] },
  call: Call,
): AsyncGenerator<FleetView[]> {
  for await (const page of pagesOf((next) =>
    session.read((ec2) => new ec2.DescribeSpotFleetRequestsCommand({ ...asked, MaxResults: 1000, ...next }), call),
  ))
    yield (page.SpotFleetRequestConfigs ?? []).map(viewOf);
}

function viewOf(fleet: SpotFleetRequestConfig): FleetView {
  const config = fleet.SpotFleetRequestConfig;
  const total = config?.TargetCapacity ?? 0;
  const onDemand = config?.OnDemandTargetCapacity ?? 0;
  return {
    id: fleet.SpotFleetRequestId ?? '',
    state: (fleet.SpotFleetRequestState ?? 'submitted').replace('cancelled', 'stopped') as FleetView['state'],
    hasError: fleet.ActivityStatus === 'error',
    ...(config?.ClientToken === undefined ? {} : { token: config.ClientToken }),
    tags: fleet.Tags,
    ...(fleet.CreateTime === undefined ? {} : { created_at: fleet.CreateTime.toISOString() }),
    target: targetWith({ 'on-demand': onDemand, spot: total - onDemand }),
    fulfilled: config?.FulfilledCapacity ?? 0,
    neverTerminates: config?.ExcessCapacityTerminationPolicy === 'noTermination',
    ...(config?.ValidUntil === undefined ? {} : { valid_until: config.ValidUntil.getTime() }),
  };
}
