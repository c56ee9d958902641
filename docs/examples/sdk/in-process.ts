// #region in-process
import { createBroker } from 'muster';

// With the configuration that is found in this directory; without one, on a simulated cloud with sample templates.
await using muster = await createBroker();

const { request_id } = await muster.create_request({ template_id: 'small', machine_count: 2 });
const { status, machines = [] } = await muster.waitFor(request_id);
console.log(status, machines.length); // completed 2

const returned = await muster.create_return_request({ machine_ids: machines.map(({ machine_id }) => machine_id) });
console.log((await muster.waitFor(returned.request_id)).status); // completed
// #endregion
