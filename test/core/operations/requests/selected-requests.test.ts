import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker } from '../../../support/boot-broker.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-words-'));
test.after.always(() => rmSync(root, { recursive: true, force: true }));

/** A scheduler that renders lines of text, in a separate plugin. */
function plugin(more = ''): string {
  const path = join(mkdtempSync(join(root, 'plugin-')), 'index.ts');
  writeFileSync(
    path,
    `import { definePlugin, listView, Type } from 'muster';
    const schema = Type.String();
    const line = { schema, render: ({ request }) => 'asked for as ' + request.request_id };
    const lines = listView({ schema: Type.Object({ lines: Type.Array(schema) }), entry: line.render, around: (_, lines) => ({ lines }) });
    const nothing = { schema, render: () => '' };
    export default definePlugin({ name: 'format-lines', contract: 1, schedulers: [
      { name: 'lines', requested: line, returned: line, status: line, listed: lines, templates: nothing, reclaims: nothing, ${more} },
    ] });`,
  );
  return path;
}

const boot = (path: string) =>
  bootBroker({
    loop: 'none',
    storage: 'memory',
    configuration: {
      plugins: ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'default-format', 'storage-memory', path],
      scheduler: 'lines',
    },
  });

test('the answer about a selected request has its status under every scheduler', async (t) => {
  const { call, close } = await boot(plugin());
  t.teardown(close);
  const plain = await call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  t.regex(plain.body, /^asked for as req-/);
  const { status, body } = await call('POST', '/requests/', { template_id: 'small', machine_count: 1 });
  t.deepEqual([status, body.status], [201, 'pending']);
});

test("a selected request has its status in the scheduler's own word, if the scheduler has one", async (t) => {
  const { call, close } = await boot(plugin("statusWord: (request) => 'it is ' + request.status"));
  t.teardown(close);
  t.is((await call('POST', '/requests/', { template_id: 'small', machine_count: 1 })).body.status, 'it is pending');
});
