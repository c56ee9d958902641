import test from 'ava';
import { csvOf } from '../../../../core/operations/usage/csv.ts';
import { CleanUp } from '../../../../core/requests/clean-up.ts';
import { UsageQuery } from '../../../../core/requests/usage/usage-query.ts';
import { usageOf } from '../../../../core/model/usage/usage.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';
import { aMachine } from '../../../../plugin-testkit/storage/records.ts';

const hour = 3_600_000;
const usedMs = async ({ store, clock }: LoopBench, days: readonly string[]) =>
  Object.fromEntries(
    Map.groupBy(await new UsageQuery(store, clock).rows(days), ({ day }) => day)
      .entries()
      .map(([day, rows]) => [day, rows.reduce((sum, { amounts }) => sum + amounts.machine_ms, 0)]),
  );

test('the use of a machine is split at midnight, with its price, and said where a price is not known', (t) => {
  const from = Date.parse('2026-01-01T22:00:00Z');
  const machine = aMachine('m', { created_at: from, vcpus: 4, price: { usd_per_hour: 0.5, source: 'own' } });
  t.deepEqual(
    usageOf(machine, from + 5 * hour).map(({ day, amounts }) => [day, amounts]),
    [
      ['2026-01-01', { machine_ms: 2 * hour, vcpu_ms: 8 * hour, unsized_ms: 0, usd: 1, unpriced_ms: 0 }],
      ['2026-01-02', { machine_ms: 3 * hour, vcpu_ms: 12 * hour, unsized_ms: 0, usd: 1.5, unpriced_ms: 0 }],
    ],
  );
  const unknown = aMachine('m', { created_at: from, released_at: from + hour, gone_at: from + 2 * hour });
  t.deepEqual(usageOf(unknown, from + 5 * hour)[0]?.amounts, {
    machine_ms: hour,
    vcpu_ms: 0,
    unsized_ms: hour,
    usd: 0,
    unpriced_ms: hour,
  });
});

test('use survives the removal of records, over midnight', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  bench.clock.jump(24 * hour - 600_000);
  await bench.clock.advance(2_000);
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  east.boot();
  const from = Math.min(...(await bench.status(id)).machines.map(({ created_at }) => created_at));
  await bench.clock.advance(1_200_000);
  const days = ['2026-01-01', '2026-01-02'];
  const before = Date.parse('2026-01-02') - from;
  const living = await usedMs(bench, days);
  t.is(living['2026-01-01'], 3 * before);
  t.is(living['2026-01-02'], 3 * (bench.clock.now() - Date.parse('2026-01-02')));
  await bench.requestService.returnMachines(['m-1', 'm-2', 'm-3'], 60);
  await bench.clock.advance(60_000);
  const machines = await bench.store.find('machine', {});
  const ended = machines.reduce((sum, { released_at = 0 }) => sum + released_at - from, 0);
  const gone = await usedMs(bench, days);
  t.is((gone['2026-01-01'] ?? 0) + (gone['2026-01-02'] ?? 0), ended);
  await bench.clock.advance(600_000);
  await new CleanUp(bench.store, bench.clock).requests(0);
  t.is(await bench.store.count('machine', {}), 0);
  t.deepEqual(await usedMs(bench, days), gone);
  await bench.close();
});

for (let commit = 1; commit <= 8; commit += 1)
  test(`use is counted once when the broker is killed before commit ${commit} after a return`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east }, { rows_per_commit: 3 });
    const id = await bench.request(4);
    await bench.clock.advance(1_000);
    east.boot();
    await bench.clock.advance(600_000);
    const ids = (await bench.status(id)).machines.map(({ machine_id }) => machine_id);
    await bench.requestService.returnMachines(ids, 60);
    await bench.kill(commit);
    await bench.clock.advance(120_000);
    const machines = await bench.store.find('machine', {});
    t.true(machines.every(({ gone_at }) => gone_at !== undefined));
    const used = machines.flatMap((machine) => usageOf(machine, bench.clock.now()));
    const sum = used.reduce((all, { amounts }) => all + amounts.machine_ms, 0);
    t.deepEqual(await usedMs(bench, ['2026-01-01']), { '2026-01-01': sum });
    await bench.close();
  });

test('a machine that counted as gone and lives again is counted once, and a clock that is set adds nothing', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(60_000);
  const from = bench.clock.monotonic();
  const [before = 0] = Object.values(await usedMs(bench, ['2026-01-01']));
  east.hidden.add('m-1');
  await bench.clock.advance(300_000);
  t.true((await bench.store.find('machine', { where: { machine_id: 'm-1' } }))[0]?.gone_at !== undefined);
  east.hidden.delete('m-1');
  await bench.clock.advance(60_000);
  bench.clock.jump(2 * hour);
  await bench.clock.advance(60_000);
  const passed = bench.clock.monotonic() - from;
  const [after = 0] = Object.values(await usedMs(bench, ['2026-01-01']));
  t.true(Math.abs(after - before - 2 * passed) < 1_000, `${after} ms instead of ${before + 2 * passed}`);
  await bench.close();
});

test('rows become CSV, with quotes where they are needed', (t) => {
  t.is(
    csvOf(
      [
        { group: { template_id: 'a "b", c', market: null }, usd: 1.5 },
        { group: { template_id: 'd' }, usd: null },
      ],
      ['template_id', 'market', 'usd'],
    ),
    'template_id,market,usd\r\n"a ""b"", c",,1.5\r\nd,,\r\n',
  );
  t.is(csvOf([], ['template_id', 'usd']), 'template_id,usd\r\n');
});

for (const [text, cell] of [
  ["=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(1)', "'@SUM(1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['m5.large', 'm5.large'],
  ['a=b', 'a=b'],
  [-1.5, '-1.5'],
] as const)
  test(`a spreadsheet runs nothing that a cell of CSV says: ${JSON.stringify(text)}`, (t) => {
    t.is(csvOf([{ a: text }], ['a']), `a\r\n${cell}\r\n`);
  });
