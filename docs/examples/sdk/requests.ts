import { connect } from 'muster';

await using muster = await connect({ url: process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8000' });

{
  // #region create_request
  const { request_id, status } = await muster.create_request({
    template_id: 'small',
    machine_count: 2,
    tags: { job: 'nightly' },
  });
  console.log(status); // pending
  const { machines = [] } = await muster.waitFor(request_id);
  console.log(machines.length); // 2
  // #endregion

  // #region sync_and_get_request
  const now = await muster.sync_and_get_request({ request_id, long: true });
  console.log(now.status, now.machines?.[0]?.status); // completed running
  // #endregion
}
{
  // #region list_active_requests
  const { count } = await muster.list_active_requests();
  console.log(count); // 0
  const ended = await muster.list_active_requests({
    status: 'completed',
    sort: 'created_at:desc',
    page: 1,
    page_size: 20,
  });
  console.log(ended.requests[0]?.template_id, ended.requests[0]?.status); // small completed
  // #endregion
}
{
  // #region create_selected_request
  const { request_id, provider_selection } = await muster.create_selected_request({
    template_id: 'workers',
    machine_count: 1,
    provider_preference: { type: 'explicit', provider_instance: 'simulated' },
  });
  console.log(provider_selection.provider_instance, provider_selection.confidence); // simulated 1
  // #endregion
  const ended = await muster.waitFor(request_id);

  // #region get_request_provider
  const served = await muster.get_request_provider({ request_id });
  console.log(served.provider_instance, served.machines.length); // simulated 1
  // #endregion

  // #region get_request_summary
  const { delivered_count, requested_count } = await muster.get_request_summary({ request_id });
  console.log(`${delivered_count} of ${requested_count}`); // 1 of 1
  // #endregion

  // #region plan_request
  const { accepted, order, cost } = await muster.plan_request({ template_id: 'small', machine_count: 2 });
  console.log(accepted, order[0]?.price.source, cost.usd_per_hour !== null); // true catalogue true
  // #endregion

  // #region explain_request
  const { because, waiting_for, attempts } = await muster.explain_request({ request_id });
  console.log(because); // The machine was delivered by 'simulated'.
  console.log(waiting_for, attempts[0]?.state); // null launched
  // #endregion

  // #region get_requests
  const { requests, not_found } = await muster.get_requests({ request_ids: [request_id, 'req-unknown'] });
  console.log(requests[0]?.status, not_found); // completed [ 'req-unknown' ]
  // #endregion

  // #region sync_request
  const now = await muster.sync_request({ request_id });
  console.log(now.status); // completed
  // #endregion

  // #region populate_machine_ids
  const machine_ids = ended.machines?.map((machine) => machine.machine_id) ?? [];
  const { unverified } = await muster.populate_machine_ids({ request_id, machine_ids });
  console.log(unverified); // []
  // #endregion
}
{
  // #region cancel_request
  const { request_id } = await muster.create_request({ template_id: 'small', machine_count: 50 });
  await muster.cancel_request({ request_id, reason: 'Not needed any more.' });
  const { status } = await muster.waitFor(request_id);
  console.log(status); // cancelled
  // #endregion
}
{
  // #region complete_request
  const { request_id } = await muster.create_request({ template_id: 'small', machine_count: 1 });
  // Do not wait any longer: it keeps what is ready by now, which is nothing yet.
  await muster.complete_request({ request_id });
  const { status, fulfilment } = await muster.waitFor(request_id);
  console.log(status, fulfilment?.delivered); // failed 0
  // #endregion
}
{
  // #region update_request_status
  const { request_id } = await muster.create_request({ template_id: 'small', machine_count: 1 });
  await muster.update_request_status({ request_id, status: 'cancelled', reason: 'Cleared by hand.' });
  const { status } = await muster.waitFor(request_id);
  console.log(status); // cancelled
  // #endregion
}
