import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker } from '../support/boot-broker.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/budgets-and-leases.md'), 'utf8');
const leases = /^## Leases\n[^]*?(?=^## |$(?![^]))/m.exec(guide)?.[0] ?? '';

/** The calls of the guide: `POST /api/v1/…` and its body. */
const calls = [...leases.matchAll(/^```\n(POST) \/api\/v1(\/\S+)\n(\{[^`]+\})\n```$/gm)];
const [, body = ''] = /^```json\n(\{[^`]+"lease"[^`]+\})\n```$/m.exec(leases) ?? [];
/** The refusal of a return, as it is quoted. */
const [, refusal = ''] = /^```\nCONFLICT: ([^]+?)\n```$/m.exec(leases) ?? [];

test('the examples of the guide to leases work as they stand there', async (t) => {
  const broker = await bootBroker({ storage: 'memory' });
  t.teardown(() => broker.close());
  const { request_id } = (await broker.call('POST', '/machines/request', body)).body;
  const machines = await broker.until(async () => {
    const answer = (await broker.call('GET', `/requests/${request_id}`)).body;
    return answer.status === 'completed' && answer.machines;
  });
  const [{ machine_id, created_at, expires_at }] = machines;
  t.true(Date.parse(expires_at) - Date.parse(created_at) >= 3_600_000);
  t.deepEqual(
    calls.map(([, , path]) => path),
    ['/machines/extend', '/machines/hold'],
  );
  const answers = [];
  for (const [, , path = '', example = ''] of calls)
    answers.push(await broker.call('POST', path, example.replaceAll('i-09227c8720e055176', machine_id)));
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  t.is(Date.parse(answers[0]?.body.machines[0].expires_at) - Date.parse(expires_at), 1_800_000);
  const returned = await broker.call('POST', '/machines/return', { machine_ids: [machine_id] });
  t.is(returned.status, 409);
  const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/;
  t.is(
    returned.body.detail.replace(time, 'then').replace(machine_id, 'i-09227c8720e055176'),
    refusal.replaceAll('\n', ' ').replace(time, 'then'),
  );
});
