import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isError, type StorageCheck, type StorageDriver } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aMachine, anAttempt, anEvent, aRequest, insert } from '../records.ts';
import { assertRefused } from '../assert-refused.ts';
import { snapshot } from '../snapshot.ts';

const whole = [
  insert('request', aRequest('r-1')),
  insert('request', aRequest('r-2')),
  { op: 'insert', kind: 'attempt', record: anAttempt(1) } as const,
  insert('machine', aMachine('m-1')),
  insert('event', anEvent({ request_id: 'r-1' })),
];

const errorsOf = ({ findings }: StorageCheck) => findings.filter(isError);

/** The contract of `check` and `backup`, if a driver has them. */
export function checkCopies({ when, opened }: Contract, driver: StorageDriver<any>): void {
  const check = driver.check?.bind(driver);
  const copying = check && driver.backup && { check, backup: driver.backup.bind(driver) };

  when(
    check,
    'a driver that can `check`',
    'an intact storage is reported as valid, with the number of records of each kind, during its use and without a change',
    async (look, ending) => {
      const { store, options } = await opened(ending);
      await store.commit(whole);
      const before = await snapshot(store);
      const found = await look(options);
      assert.deepEqual(errorsOf(found), []);
      assert.equal(found.valid, true);
      const { request, attempt, machine, event, template } = found.records;
      assert.deepEqual([request, attempt, machine, event, template], [2, 1, 1, 1, 0]);
      assert.deepEqual(await snapshot(store), before);
      await store.commit([insert('request', aRequest('r-3'))]);
      assert.equal((await look(options)).records['request'], 3);
    },
  );

  when(
    copying,
    'a driver that can `check` and `backup`',
    'a copy that is made during use has everything that was acknowledged, and replaces nothing without permission',
    async (can, ending) => {
      const { store, options } = await opened(ending);
      const directory = await mkdtemp(join(tmpdir(), 'muster-copy-'));
      ending.defer(() => rm(directory, { recursive: true, force: true }));
      const file = join(directory, 'copy');
      await store.commit(whole);
      const copy = await can.backup(options, file, false);
      assert.deepEqual([copy.check.valid, errorsOf(copy.check), copy.check.records['request']], [true, [], 2]);
      const { mode, size } = await stat(copy.file);
      assert.equal(mode & 0o077, 0, 'Others than the owner may read the copy.');
      assert.equal(copy.size_bytes, size);

      await store.commit([insert('request', aRequest('r-3'))]);
      await assertRefused(can.backup(options, file, false), 'CONFLICT');
      assert.equal((await can.check(options, file)).records['request'], 2, 'what stands there stays');
      await can.backup(options, file, true);
      assert.equal((await can.check(options, file)).records['request'], 3);
      assert.equal(await store.count('request', {}), 3);
    },
  );

  when(
    copying,
    'a driver that can `check` and `backup`',
    'another file that is no copy is not reported as valid',
    async (can, ending) => {
      const { options } = await opened(ending);
      const directory = await mkdtemp(join(tmpdir(), 'muster-copy-'));
      ending.defer(() => rm(directory, { recursive: true, force: true }));
      const file = join(directory, 'copy');
      await writeFile(file, 'this is no copy of a storage\n'.repeat(1_000));
      const valid = await can.check(options, file).then(
        (found) => found.valid,
        () => false,
      );
      assert.equal(valid, false);
    },
  );
}
