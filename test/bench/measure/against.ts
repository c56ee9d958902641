import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ClosedLoopJob } from '../load/closed-loop-process.ts';
import { ClosedLoop, type Round } from '../load/closed-loop.ts';
import { Child } from '../processes/child.ts';
import { type Row, type Target, atLeast } from '../report/row.ts';
import { spread, type Spread } from './numbers.ts';

export interface Side {
  readonly url: string;
  readonly pid: number;
}

/** What is compared, and with what. */
export interface Pair {
  readonly subject: Side;
  readonly baseline: Side;
}

export interface Comparison {
  readonly name: string;
  readonly title: string;
  /**
   * Processes of the two programs, which take the rounds in turn. Two processes of one program differ by a tenth, by
   * where their memory lies and what was compiled first: a small difference needs several pairs.
   */
  readonly pairs: readonly Pair[];
  readonly call?: Pick<ClosedLoopJob, 'method' | 'body'>;
  /** The ratio that is wanted; left out, it is only told. */
  readonly least?: number;
  /** Answers a second that are wanted. */
  readonly rate?: number;
  /** Whether the ratio of processor time counts as well: where the disk is what is waited for, it says nothing. */
  readonly cpuCounts: boolean;
  /**
   * Whether the load keeps its processor. Else it sleeps while it waits for a server that is slower than itself, and
   * waking it costs that server 4 to 10 µs for each answer, which the faster server does not pay. A processor must be
   * free for it: where the server needs both, with a database beside it, the load sleeps.
   */
  readonly loadStaysAwake?: true;
  /** The ratio that counts is that of the time of the threads that answer, where the system tells it. */
  readonly threadCounts?: true;
  readonly rounds: number;
  readonly seconds: number;
  /** Called after the warm-up, before the first round. */
  readonly warmed?: () => Promise<void>;
}

/** One runs on each processor, where the time of threads is compared. */
const ballastFile = join(import.meta.dirname, '../load/ballast-process.ts');

/**
 * Node compiles a path by how often it runs, and a server runs for weeks: the warm-up of a server ends after so many
 * calls, on a slow machine later.
 */
const warmUpCalls = 30_000;
const warmUpSeconds = 3;
const mostWarmUps = 4;

/** Loads subjects and baselines in turn, `rounds` times each. All get a warm-up that is not counted. */
export async function against(comparison: Comparison): Promise<Row> {
  const {
    name,
    title,
    pairs,
    call = {},
    least,
    rate,
    cpuCounts,
    loadStaysAwake: awake = false,
    threadCounts,
  } = comparison;
  const { rounds, seconds } = comparison;
  const load = new ClosedLoop();
  const ballast = threadCounts ? Array.from({ length: availableParallelism() }, () => Child.of(ballastFile)) : [];
  const ours: Round[] = [];
  const bare: Round[] = [];
  try {
    const loaded = ({ url, pid }: Side, forSeconds = seconds) =>
      load.run({ ...call, url, seconds: forSeconds, awake }, pid);
    const warmUp = async (side: Side): Promise<void> => {
      for (let n = 0, calls = 0; n < mostWarmUps && calls < warmUpCalls; n++)
        calls += (await loaded(side, warmUpSeconds)).rate * warmUpSeconds;
    };
    for (const { subject, baseline } of pairs) for (const side of [subject, baseline]) await warmUp(side);
    await comparison.warmed?.();
    for (let round = 0; round < rounds; round++)
      for (const { subject, baseline } of pairs) {
        ours.push(await loaded(subject));
        bare.push(await loaded(baseline));
      }
  } finally {
    await Promise.all([load.stop(), ...ballast.map((each) => each.stop())]);
  }
  const by_rate = pairwise(ours, bare, (each) => each.rate) as Spread;
  const by_cpu = pairwise(ours, bare, (each) => each.per_cpu_second);
  const by_thread = threadCounts && pairwise(ours, bare, ({ thread_us }) => thread_us && 1 / thread_us);
  const measured = spread(ours.map((each) => each.rate));
  const targets: Target[] = [
    ...(least === undefined
      ? []
      : [
          by_thread
            ? atLeast(by_thread.median, least, 'ratio of the answering thread')
            : atLeast(Math.min(by_rate.median, (cpuCounts ? by_cpu?.median : undefined) ?? Infinity), least, 'ratio'),
        ]),
    ...(rate === undefined ? [] : [atLeast(measured.median, rate, 'req/s')]),
  ];
  const baselineSpread = spread(bare.map((each) => each.rate));
  return {
    name,
    title,
    unit: 'req/s',
    measured,
    runs: ours.length,
    baseline: baselineSpread,
    ratio: { by_rate, by_cpu },
    targets,
    notes: [...notes(ours, bare), ...(by_thread ? [threadNote(ours, bare, by_thread)] : [])],
  };
}

function pairwise(
  ours: readonly Round[],
  bare: readonly Round[],
  of: (round: Round) => number | undefined,
): Spread | undefined {
  const ratios = ours.flatMap((each, index) => {
    const mine = of(each);
    const other = of(bare[index] as Round);
    return mine === undefined || other === undefined ? [] : [mine / other];
  });
  return ratios.length === 0 ? undefined : spread(ratios);
}

/**
 * Where a server had time left over, the load was the slowest part, and only the ratio of processor time says how the
 * two compare.
 */
function notes(ours: readonly Round[], bare: readonly Round[]): string[] {
  const share = (rounds: readonly Round[]) => spread(rounds.map((each) => each.server_share ?? Number.NaN)).median;
  const percent = (value: number) => `${Math.round(value * 100)} %`;
  const p99 = spread(ours.map((each) => each.p99_ms)).median;
  return [
    `p99 ${p99} ms; processor used by the server ${percent(share(ours))}, by the bare one ${percent(share(bare))}`,
  ];
}

function threadNote(ours: readonly Round[], bare: readonly Round[], ratio: Spread): string {
  const us = (rounds: readonly Round[]) => spread(rounds.flatMap(({ thread_us = [] }) => thread_us)).median.toFixed(1);
  return `the answering thread: ${us(ours)} µs for a call, ${us(bare)} µs without, ratio ${ratio.median.toFixed(2)}`;
}
