import { connect } from 'muster';

await using muster = await connect({ url: process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8000' });
const { request_id } = await muster.create_request({ template_id: 'small', machine_count: 2 });
await muster.waitFor(request_id);

{
  // #region list_events
  const { events, next } = await muster.list_events({ request_id, after: 0 });
  console.log(events[0]?.type, events[0]?.actor.interface, next > 0); // request.created sdk true
  // #endregion
}
{
  // #region get_request_timeline
  const { milestones, durations_ms } = await muster.get_request_timeline({ request_id });
  console.log(milestones.returned, durations_ms.all_ready !== null); // null true
  // #endregion
}
