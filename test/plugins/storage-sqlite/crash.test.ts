import { once } from 'node:events';
import test from 'ava';
import { inProcess } from '../../support/storage-sqlite-beside.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';

test('after kill -9 amid commits everything that was acknowledged is there, whole', async (t) => {
  const path = freshPath();
  for (const name of ['a', 'b', 'c']) {
    const child = inProcess({ path, name, act: 'forever', times: 0 });
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
    while (printed.length < 1_000) await once(child.stdout ?? child, 'data');
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;

    const acknowledged = printed.slice(0, printed.lastIndexOf('\n')).split('\n');
    const store = await openFile(path);
    const stored = new Set((await store.find('request', {})).map((each) => each.request_id));
    const events = (await store.find('event', {})).map((each) => each.type);
    t.true(acknowledged.length > 100);
    t.deepEqual(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    );
    t.deepEqual(events.toSorted(), [...stored].toSorted(), 'a commit is there whole or not at all');
    t.is(await store.count('request', {}), stored.size);
    await store.close();
  }
});
