import assert from 'node:assert/strict';
import type { Kind } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aRequest, aTemplate, insert } from '../records.ts';
import { eventually } from '../eventually.ts';
import { inThread, started, type Started } from './started.ts';
import type { StorageSubject } from '../subject.ts';

const counter = () => insert('template', aTemplate('counter', { fields: { n: 0 } }));

async function ended(process: Started): Promise<void> {
  assert.equal(await process.end, 0, process.said());
}

/** Checks of several processes and threads on one storage. */
export function checkProcesses({ when, unopened, opened, shared }: Contract, { module, type }: StorageSubject): void {
  const plugin = shared && module !== undefined ? { module: String(module), type } : undefined;
  const lacks = shared ? 'the `module` of the plugin, for another process' : 'a storage that is shared';

  when(
    plugin,
    lacks,
    'two processes and two threads write at once: no update is lost, none is refused',
    async (given, ending) => {
      const { store, options } = await opened(ending);
      await store.commit([counter()]);
      const task = (name: string) => ({ ...given, options, name, act: 'raise', times: 40 }) as const;
      const processes = [started(task('p1'), ending), started(task('p2'), ending)];
      await Promise.all([...processes.map(ended), inThread(task('t1')), inThread(task('t2'))]);
      const read = await store.get('template', { template_id: 'counter' });
      assert.equal(read?.fields['n'], 160);
      assert.equal(read?.version, 161);
      assert.equal(await store.count('request', { status: 'pending' }), 160);
      assert.equal((await store.find('request', {})).length, 160);
    },
  );

  when(
    plugin,
    lacks,
    'three processes claim at once: no request is ever held twice at a time, and none is skipped',
    async (given, ending) => {
      const { store, options } = await opened(ending);
      const ids = Array.from({ length: 20 }, (_, i) => `r-${i}`);
      await store.commit(ids.map((id) => insert('request', aRequest(id))));
      const processes = ['p1', 'p2', 'p3'].map((name) =>
        started({ ...given, options, name, act: 'work', times: 3 }, ending),
      );
      await Promise.all(processes.map(ended));
      const claims = processes.flatMap((each) => each.lines().map((line) => line.split(' ')));
      assert.deepEqual(
        claims.filter(([, , atWork]) => atWork !== ''),
        [],
        'These were claimed while another process worked on them.',
      );
      const told = claims.map(([id, epoch]) => `${id} ${epoch}`).toSorted();
      assert.deepEqual(
        told,
        ids.flatMap((id) => [1, 2, 3].map((epoch) => `${id} ${epoch}`)).toSorted(),
        'Each claim has an epoch of its own.',
      );
      assert.ok((await store.find('request', {})).every(({ delivered, epoch }) => delivered === 3 && epoch === 3));
    },
  );

  when(plugin, lacks, 'several processes open a new storage at once', async (given, ending) => {
    const { options, open } = await unopened(ending);
    await Promise.all(
      [1, 2, 3, 4, 5].map((i) => ended(started({ ...given, options, name: `p${i}`, act: 'open', times: 0 }, ending))),
    );
    assert.equal(await (await open()).count('request', {}), 0);
  });

  when(
    plugin,
    lacks,
    'a watcher is notified within a second of a commit by another process, with exactly its kinds',
    async (given, ending) => {
      const { store, options } = await opened(ending);
      await store.commit([counter()]);
      const heard = new Set<Kind>();
      using _watch = store.watch((kinds) => kinds.forEach((kind) => heard.add(kind)));
      await ended(started({ ...given, options, name: 'p1', act: 'raise', times: 4 }, ending));
      assert.ok(await eventually(() => heard.size === 2));
      assert.deepEqual([...heard].toSorted(), ['request', 'template']);
    },
  );
}
