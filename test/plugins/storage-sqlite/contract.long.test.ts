import test from 'ava';
import plugin from '../../../plugins/storage-sqlite/index.ts';
import { testStorage } from '../../../plugin-testkit/index.ts';
import { freshPath } from '../../support/storage-sqlite-file.ts';

testStorage({
  test,
  plugin: () => plugin,
  place: freshPath,
  options: (path) => ({ path }),
  module: new URL('../../../plugins/storage-sqlite/index.ts', import.meta.url),
});
