import { connect } from 'muster';

await using muster = await connect({ url: process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8000' });
const { request_id } = await muster.create_request({ template_id: 'small', machine_count: 3 });

// #region waiting
const stop = new AbortController();
const waiting = muster.waitFor(request_id, {
  timeout_ms: 600_000,
  signal: stop.signal,
  progress({ machines = [] }) {
    console.log(`${machines.filter(({ status }) => status === 'running').length} of 3`); // 0 of 3
    stop.abort();
  },
});
await waiting.catch(({ name }: Error) => console.log(name)); // AbortError
// Only the wait has ended; the request continues.
const { status } = await muster.sync_and_get_request({ request_id });
console.log(status !== 'cancelled'); // true
// #endregion
