import test from 'ava';
import plugin from '../../../plugins/storage-postgres/index.ts';
import { testStorage } from '../../../plugin-testkit/index.ts';
import { testDatabase } from '../../support/postgres-database.ts';

const { place, options, setTime, interrupt, remove } = await testDatabase();
test.after.always(remove);

/** What takes long or starts processes runs in contract.long.test.ts. */
const long = /a hundred thousand|leaves nothing behind, wherever/;

// One check after another: all at once need more connections than a busy host opens in time.
testStorage({
  test: Object.assign(
    (title: string, body: (t: any) => Promise<void>) => long.test(title) || test.serial(title, body),
    {
      todo: () => {},
    },
  ),
  plugin: () => plugin,
  place,
  options,
  setTime,
  interrupt,
});
