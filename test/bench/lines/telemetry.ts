import { join } from 'node:path';
import { against, type Pair, type Side } from '../measure/against.ts';
import { startWithoutLoop, type Broker } from '../processes/broker.ts';
import { Child } from '../processes/child.ts';
import { workplace } from '../processes/workplace.ts';
import type { Line } from './line.ts';

/** Processes differ by a tenth, as much as what is looked for: more of them say more than more rounds. */
const pairsCompared = 6;
/** Two spans, as the protocol encodes them. */
const leastBytes = 600;

/**
 * What tracing every call costs: the same broker, with and without a collector. What counts is the thread that
 * answers: it bounds how many calls a broker takes. The thread that exports and the collector, which share the
 * processors of this machine, are in the rate and not in that ratio.
 */
export const telemetry: Line = {
  names: ['post-traced'],

  async run({ rounds, seconds }, _wanted, tell) {
    const collector = Child.of(join(import.meta.dirname, '../baselines/collector.ts'));
    const { url } = await collector.ask<{ url: string }>({ do: 'start' });
    const brokers: Broker[] = [];
    const side = async (env: Record<string, string>): Promise<Side> => {
      const broker = await startWithoutLoop(workplace(), env);
      brokers.push(broker);
      return { url: `${broker.api}/machines/request`, pid: broker.pid };
    };
    const pairs: Pair[] = [];
    while (pairs.length < pairsCompared)
      pairs.push({ subject: await side({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), baseline: await side({}) });
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
      rounds: Math.ceil(rounds / 2),
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
    await Promise.all([...brokers, collector].map((each) => each.stop()));
  },
};
