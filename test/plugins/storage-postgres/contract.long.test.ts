import test from 'ava';
import plugin from '../../../plugins/storage-postgres/index.ts';
import { testStorage } from '../../../plugin-testkit/index.ts';
import { testDatabase } from '../../support/postgres-database.ts';

const { place, options, setTime, interrupt, remove } = await testDatabase();
test.after.always(remove);

// One check after another: all at once need more connections than a busy host opens in time.
testStorage({
  test: test.serial,
  plugin: () => plugin,
  place,
  options,
  setTime,
  interrupt,
  module: new URL('../../../plugins/storage-postgres/index.ts', import.meta.url),
});
