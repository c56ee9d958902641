// #region remote
import { connect } from 'muster';

// Or { socket_path }, or { data_directory } of a server on this machine.
await using muster = await connect({ url: process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8000' });

const { templates } = await muster.list_templates();
console.log(templates.some(({ template_id }) => template_id === 'small')); // true
// #endregion

// #region spellings
const first = await muster.create_request({ template_id: 'small', machine_count: 1 });
const second = await muster.createRequest({ templateId: 'small', count: 1 });
const { machines } = await muster.listMachines({ provider: 'simulated', pageSize: 10 });
// #endregion
console.log(first.status, second.machine_count, machines[0]?.provider_instance ?? 'simulated'); // pending 1 simulated

// #region idempotency
const key = { idempotency_key: 'nightly-2026-03-01' };
const asked = await muster.create_request({ template_id: 'small', machine_count: 1 }, key);
const again = await muster.create_request({ template_id: 'small', machine_count: 1 }, key);
console.log(again.request_id === asked.request_id); // true
// #endregion
