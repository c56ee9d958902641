import { BudgetStatements } from '../../../plugins/storage-postgres/database/budgets.ts';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { SharedMarks, silentLog, type Kind } from '../../../core/index.ts';
import { ChangeFeed } from '../../../plugins/storage-postgres/commits/change-feed.ts';
import { GroupStatements, type Marks } from '../../../plugins/storage-postgres/commits/group-statements.ts';

const statements = new GroupStatements('muster', new BudgetStatements('muster'));
const marks = (changed: Partial<Record<Kind, number>>): Marks =>
  new Map([...statements.read()].map(([kind]) => [kind, changed[kind] ?? 0]));

/** A feed that only polls, with what its readings answer, and what its watcher was notified of. */
function feed() {
  const parts = {
    statements,
    shared: SharedMarks.at(`change feed ${crypto.randomUUID()}`),
    channel: 'muster',
    marks: marks({}),
    log: silentLog,
    pollMs: 3_600_000,
    notifies: false,
    listen: () => Promise.reject(new Error('not asked for')),
  };
  const answers: ((marks: Marks) => void)[] = [];
  const run = async () => {
    const answer = await new Promise<Marks>((resolve) => answers.push(resolve));
    return [[...answer.values()].map(String)];
  };
  const changes = new ChangeFeed({ ...parts, run });
  const heard: Kind[][] = [];
  const watch = changes.watch((kinds) => heard.push([...kinds].toSorted()));
  const end = async () => {
    watch[Symbol.dispose]();
    await changes.close();
  };
  return { changes, heard, end, read: (found: Marks) => answers.shift()?.(found) };
}

test('a commit that a reading reported before its own answer came is not reported again', async (t) => {
  const { changes, heard, end, read } = feed();
  read(marks({ request: 1, machine: 1 }));
  await turn();
  changes.announce(new Set(['request', 'machine']), marks({ request: 1, machine: 1 }));
  await turn();
  t.deepEqual(heard, [['machine', 'request']]);
  await end();
});

test('a commit that came after a reading is reported, and a later reading adds nothing', async (t) => {
  const { changes, heard, end, read } = feed();
  changes.announce(new Set(['request']), marks({ request: 2, machine: 1 }));
  await turn();
  t.deepEqual(heard, [['request']]);
  read(marks({ request: 2, machine: 1 }));
  await turn();
  t.deepEqual(heard, [['request'], ['machine']], 'the change of another store');
  await end();
});
