import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { HostlistError } from '../../../plugins/slurm/hostlist/hostlist-error.ts';
import { readHostlist } from '../../../plugins/slurm/hostlist/read-hostlist.ts';
import { writeHostlist } from '../../../plugins/slurm/hostlist/write-hostlist.ts';

for (const [text, names] of [
  ['a', ['a']],
  ['a,b', ['a', 'b']],
  ['a[1-3,5]', ['a1', 'a2', 'a3', 'a5']],
  ['a[08-11]', ['a08', 'a09', 'a10', 'a11']],
  ['a[1-2]b[3-4]', ['a1b3', 'a1b4', 'a2b3', 'a2b4']],
  ['a[1,1]', ['a1', 'a1']],
  ['a-[1-2],b,a-1', ['a-1', 'a-2', 'b', 'a-1']],
  ['a[9-10]', ['a9', 'a10']],
  ['', []],
] as const)
  test(`'${text}' is ${names.join(', ') || 'empty'}`, (t) => {
    t.deepEqual(readHostlist(text), [...names]);
  });

for (const [text, why] of [
  ['a[3-1]', /backwards/],
  ['a[1-2]x', /after its last bracket/],
  ['a[1', /do not match/],
  ['a]1[', /do not match/],
  ['a[[1]]', /do not match/],
  ['a[x]', /no number/],
  ['a[1-70000]', /more than 65536/],
  [`a[${'1-65536,'.repeat(100_000)}1]`, /too many names/],
  ['a[1-60000][1-60000]', /too many names/],
  [`a${'[1]'.repeat(100_000)}`, /more than 8 brackets/],
  [`a[1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9]`, /too many names/],
  ['a[99999999999999999999-99999999999999999999]', /more than 15 digits/],
  [`${'1'.repeat(1_000_000)}x`, /more than 128 letters/],
  [`a[1]${'1'.repeat(1_000_000)}`, /after its last bracket/],
  [`${'a'.repeat(128)}[1]`, /more than 128 letters/],
  ['a b', /no host name/],
  ['a;b', /no host name/],
] as const)
  test(`'${text.slice(0, 30)}' (${text.length} letters) is no hostlist`, (t) => {
    const began = performance.now();
    const { message } = t.throws(() => readHostlist(text), { instanceOf: HostlistError });
    t.regex(message, why);
    t.true(message.length < 300, 'a message quotes the beginning');
    t.true(performance.now() - began < 5_000, 'what is refused costs little');
  });

test('a range has up to 65 536 numbers', (t) => {
  t.is(readHostlist('a[1-65536]').length, 65_536);
});

const name = fc
  .tuple(
    fc.constantFrom('cpu-', 'gpu', 'a-b-', 'n'),
    fc.oneof(
      fc.nat({ max: 30 }).map(String),
      fc.nat({ max: 30 }).map((number) => String(number).padStart(3, '0')),
      fc.constant(''),
    ),
  )
  .map(([prefix, number]) => `${prefix}${number}`);

test('what is written is read as the same names, in their order, with their widths and duplicates', (t) => {
  fc.assert(
    fc.property(fc.array(name, { maxLength: 60 }), (names) => {
      t.deepEqual(readHostlist(writeHostlist(names)), names);
    }),
    { numRuns: 2_000 },
  );
});

test('ranges are written short', (t) => {
  t.is(writeHostlist(readHostlist('cpu-[1-100,105]')), 'cpu-[1-100,105]');
  t.is(writeHostlist(['cpu-1']), 'cpu-1');
  t.is(writeHostlist([]), '');
  t.is(writeHostlist(readHostlist('cpu-[1-70]').flatMap((each) => [each])), 'cpu-[1-70]');
});

/** What Slurm itself makes of a hostlist; undefined: Slurm is not installed. */
function slurmSays(lists: readonly string[]): string[][] | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'hostlist-'));
  try {
    const conf = join(directory, 'slurm.conf');
    writeFileSync(conf, 'ClusterName=c\nSlurmctldHost=localhost\nNodeName=n1\nPartitionName=p Nodes=n1\n');
    return lists.map((list) =>
      execFileSync('scontrol', ['show', 'hostnames', list], {
        encoding: 'utf8',
        env: { ...process.env, SLURM_CONF: conf },
      })
        .split('\n')
        .filter((line) => line !== ''),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test('Slurm reads hostlists in the same way, where it is installed', (t) => {
  const bracket = fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 9 }), fc.nat({ max: 3 })).map(([from, more, width]) => {
    const text = (number: number) => String(number).padStart(width, '0');
    return more === 0 ? text(from) : `${text(from)}-${text(from + more)}`;
  });
  const entry = fc
    .tuple(
      fc.constantFrom('a', 'b-', 'node'),
      fc.array(fc.array(bracket, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
    )
    .map(([prefix, groups]) => prefix + groups.map((ranges) => `[${ranges.join(',')}]`).join('x'));
  const lists = fc.sample(
    fc.array(entry, { minLength: 1, maxLength: 4 }).map((entries) => entries.join(',')),
    { numRuns: 60, seed: 22 },
  );
  const said = slurmSays(lists);
  if (!said) return t.pass('Slurm is not installed');
  for (const [index, list] of lists.entries()) t.deepEqual(readHostlist(list), said[index], list);
});
