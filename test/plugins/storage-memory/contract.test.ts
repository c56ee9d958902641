import test from 'ava';
import { silentLog } from '../../../core/index.ts';
import plugin from '../../../plugins/storage-memory/index.ts';
import { checkStorage } from '../../support/storage-contract.ts';

const [driver] = plugin.storages ?? [];

checkStorage({
  test,
  shared: false,
  place: () => '',
  open: (_place, clock) => driver?.open({}, { clock, log: silentLog }) ?? Promise.reject(new Error('no driver')),
});
