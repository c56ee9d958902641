import { connect } from 'muster';

await using muster = await connect({ url: process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8000' });

{
  // #region cleanup_old_requests
  const { deleted_requests } = await muster.cleanup_old_requests({ older_than_days: 30 });
  console.log(deleted_requests); // 0
  // #endregion
}
{
  // #region cleanup_terminated_machines
  const { deleted_machines } = await muster.cleanup_terminated_machines({ older_than_days: 30 });
  console.log(deleted_machines); // 0
  // #endregion
}
{
  // #region cleanup_all_resources
  const { return_request_ids } = await muster.cleanup_all_resources({ confirm: true, include_pending: true });
  for (const request_id of return_request_ids) await muster.waitFor(request_id);
  const { active_count } = await muster.get_active_machine_count();
  console.log(active_count); // 0
  // #endregion
}
