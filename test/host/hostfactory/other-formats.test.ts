import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';
import { ask } from './in-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'muster-foreign-formats-'));
test.after.always(() => rmSync(directory, { recursive: true, force: true }));

test('the id that a script prints does not depend on the field names of the format', async (t) => {
  const path = join(directory, 'index.ts');
  writeFileSync(
    path,
    `import { definePlugin, listView, Type } from 'muster';
    const schema = Type.String();
    const line = { schema, render: ({ request }) => 'it is ' + request.status };
    const entry = ({ request }) => ({ requestId: request.request_id, status: 'running', machines: [] });
    const listed = listView({ schema, entry, around: (_, requests) => ({ requests }) });
    const nothing = { schema, render: () => ({}) };
    export default definePlugin({ name: 'format-other', contract: 1, schedulers: [
      { name: 'hostfactory', requested: line, returned: line, status: line, listed, templates: nothing, reclaims: nothing },
    ] });`,
  );
  const plugins = ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'default-format', 'storage-memory', path];
  const broker = await bootBroker({ loop: 'none', storage: 'memory', configuration: { plugins } });
  t.teardown(() => broker.close());

  const { answer } = await ask(broker, 'requestMachines', { template: { templateId: 'small', machineCount: 1 } });
  t.regex(answer.requestId, /^req-/);
  t.is(typeof answer.message, 'string');
  const status = await ask(broker, 'getRequestStatus', { requests: [{ requestId: answer.requestId }] });
  t.deepEqual(status.answer.requests, [{ requestId: answer.requestId, status: 'running', machines: [] }]);
  const returned = await ask(broker, 'requestReturnMachines', { machines: [{ name: 'a host that nobody knows' }] });
  t.regex(returned.answer.requestId, /^ret-/);
});
