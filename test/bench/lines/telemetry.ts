import { join } from 'node:path';
import { against, type Pair, type Side } from '../measure/against.ts';
import { startTogetherWithoutLoop } from '../processes/broker.ts';
import { Child } from '../processes/child.ts';
import { workplace } from '../processes/workplace.ts';
import type { Line } from './line.ts';

/** Two spans, as the protocol encodes them. */
const leastBytes = 600;

/**
 * What tracing every call costs: the same broker, with and without a collector, in one process, since two processes
 * of one program differ by a tenth. The one that is loaded first pays for what both compile, so that there is a
 * process for either order. What counts is the thread that answers: it bounds how many calls a broker takes. The
 * thread that exports and the collector, which share the processors of this machine, are in the rate and not in that
 * ratio.
 */
export const telemetry: Line = {
  names: ['post-traced'],

  async run({ rounds, seconds }, _wanted, tell) {
    const collector = Child.of(join(import.meta.dirname, '../baselines/collector.ts'));
    const { url } = await collector.ask<{ url: string }>({ do: 'start' });
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
    const tracedFirst = await startTogetherWithoutLoop([placeWith(traced), placeWith({})]);
    const tracedLast = await startTogetherWithoutLoop([placeWith({}), placeWith(traced)]);
    const pairs: Pair[] = [
      { subject: sideOf(tracedFirst, 0), baseline: sideOf(tracedFirst, 1) },
      { subject: sideOf(tracedLast, 1), baseline: sideOf(tracedLast, 0) },
    ];
    const exported = async () => (await collector.ask<{ bytes: number }>({ do: 'count' })).bytes;
    let before = 0;
    const row = await against({
      name: 'post-traced',
      title: 'POST a request, traced, against untraced',
      pairs,
      call: { method: 'POST', body: JSON.stringify({ template_id: 'run', machine_count: 1 }) },
      least: 0.9,
      cpuCounts: false,
      threadCounts: true,
      rounds: 3 * rounds,
      seconds,
      warmed: async () => void (before = await exported()),
    });
    // What is dropped costs nothing.
    const bytes = (await exported()) - before;
    const each = bytes / (row.measured.median * row.runs * seconds);
    tell({
      ...row,
      targets: [...row.targets, { text: `≥ ${leastBytes} B a call exported`, met: each >= leastBytes }],
      notes: [...(row.notes ?? []), `the collector got ${Math.round(bytes / 1e6)} MB, ${Math.round(each)} B a call`],
    });
    await Promise.all([tracedFirst, tracedLast, collector].map((each) => each.stop()));
  },
};

const placeWith = (env: Record<string, string>) => ({ directory: workplace(), env });

const sideOf = ({ apis, pid }: Together, position: number): Side => ({
  url: `${apis[position]}/machines/request`,
  pid,
});

type Together = Awaited<ReturnType<typeof startTogetherWithoutLoop>>;
