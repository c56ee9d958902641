import { connect } from 'muster';

await using muster = await connect({ url: process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8000' });
const { request_id } = await muster.create_request({ template_id: 'small', machine_count: 2, lease: 3600 });
await muster.waitFor(request_id);

{
  // #region list_machines
  const { machines, total_count } = await muster.list_machines({ request_id, status: 'running' });
  console.log(total_count, machines[0]?.template_id); // 2 small
  // #endregion

  const machine_id = machines[0]?.machine_id ?? '';
  {
    // #region get_machine
    const { machine } = await muster.get_machine({ machine_id });
    console.log(machine.status, machine.provider_instance); // running simulated
    // #endregion
  }
  {
    // #region get_machine_health
    const { healthy, message } = await muster.get_machine_health({ machine_id });
    console.log(healthy, message); // true It runs.
    // #endregion
  }
  {
    // #region get_active_machine_count
    const { active_count, by_status } = await muster.get_active_machine_count();
    console.log(active_count, by_status['running']); // 2 2
    // #endregion
  }
  {
    // #region list_reclaimed_machines
    const reclaimed = await muster.list_reclaimed_machines({ machine_ids: [machine_id] });
    console.log(reclaimed.machines); // []
    // #endregion
  }
  {
    // #region extend_machines
    const { machines: extended } = await muster.extend_machines({ machine_ids: [machine_id], seconds: 1800 });
    console.log(extended[0]?.machine_id === machine_id); // true
    // #endregion
  }
  {
    // #region hold_machines
    await muster.hold_machines({ machine_ids: [machine_id], seconds: 7200, reason: 'A core dump is read.' });
    const { machines: held } = await muster.hold_machines({ machine_ids: [machine_id], seconds: 0, reason: 'Done.' });
    console.log(held[0]?.held_until); // null
    // #endregion
  }
  {
    // #region get_usage
    const { rows } = await muster.get_usage({ group_by: ['template_id'] });
    console.log(rows[0]?.group); // { template_id: 'small' }
    // #endregion
  }
  {
    // #region create_return_request
    const returned = await muster.create_return_request({
      machine_ids: machines.map((machine) => machine.machine_id),
    });
    const { status, message } = await muster.waitFor(returned.request_id);
    console.log(status, message); // completed All 2 machines are gone.
    // #endregion
  }
}
{
  // #region sync_and_list_return_requests
  const { count } = await muster.sync_and_list_return_requests();
  console.log(count); // 0
  // #endregion
}
