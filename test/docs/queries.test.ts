import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { bootBroker } from '../support/boot-broker.ts';
import { labelsOf, selectorsOf } from './queries-of.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary: string };
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly type: string;
    readonly description?: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const deploy = join(import.meta.dirname, '../../docs/deploy');
const rules = (parse(readFileSync(join(deploy, 'prometheus/alerts.yml'), 'utf8')) as Rules).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(readFileSync(join(deploy, 'grafana/muster.json'), 'utf8')) as Dashboard;
const panels = dashboard.panels.filter(({ type }) => type !== 'row');

/** What Prometheus adds to every series. */
const added = ['job', 'instance'];

/** The labels of each metric that a broker reports after it did something of everything; histograms by their series. */
async function reported(broker: Awaited<ReturnType<typeof bootBroker>>): Promise<ReadonlyMap<string, Set<string>>> {
  const request = () => broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  const { request_id } = (await request()).body;
  await broker.until(async () => (await broker.call('GET', `/requests/${request_id}`)).body.status === 'completed');
  broker.simulator.setKnobs({ boot_ms: 60_000 });
  await request();
  await broker.app.inject('/metrics');
  const { body } = await broker.app.inject('/metrics');
  const found = new Map<string, Set<string>>();
  for (const [, name = ''] of body.matchAll(/^# HELP (\S+)/gm)) found.set(name, new Set());
  for (const [, name = '', labels = ''] of body.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const known = found.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}

test('every query of the alert rules and of the dashboard names metrics and labels that exist', async (t) => {
  const broker = await bootBroker({ storage: 'memory' });
  t.teardown(() => broker.close());
  const known = await reported(broker);
  const queries = [
    ...rules.map(({ alert, expr }) => [alert, expr, ''] as const),
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const),
    ),
    ...dashboard.templating.list.flatMap(({ name, definition }) =>
      definition === undefined ? [] : [[name, definition, ''] as const],
    ),
  ];
  t.true(queries.length > 35);
  for (const [title, expr, legend] of queries) {
    const selectors = selectorsOf(expr);
    t.true(selectors.length > 0, title);
    const labels = new Set(added);
    for (const { metric, matched } of selectors) {
      if (metric === 'up') continue;
      // A family without a series yet is declared all the same; its labels are then unknown here.
      const family = metric.replace(/_(count|sum|bucket)$/, '');
      t.true(known.has(metric) || known.has(family), `${title}: ${metric}`);
      const own = known.get(metric)?.size ? known.get(metric) : known.get(family);
      for (const label of matched) t.true(own?.has(label) || added.includes(label), `${title}: ${metric} {${label}}`);
      for (const label of own ?? []) labels.add(label);
    }
    for (const label of labelsOf(expr, legend)) t.true(labels.has(label), `${title}: the label ${label} in ${expr}`);
  }
});

test('every alert rule says in a sentence what is wrong, and every panel what it shows', (t) => {
  t.true(rules.length > 5);
  for (const { alert, annotations } of rules) t.regex(annotations.summary, /^[A-Z].*[.]$/s, alert);
  t.true(panels.length > 15);
  for (const { title, description } of panels) t.regex(description ?? '', /^[A-Z0-9].*[.]$/s, title);
});

test('a dashboard panel lies beside the others, not over them', (t) => {
  const places = dashboard.panels.map(
    (panel) => (panel as any).gridPos as { x: number; y: number; w: number; h: number },
  );
  for (const [i, a] of places.entries())
    for (const b of places.slice(i + 1))
      t.false(a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h, JSON.stringify([a, b]));
});

test('a query is read: its metrics, the labels that it matches, groups by and shows', (t) => {
  const expr = 'sum by (le, instance) (rate(muster_a_bucket{b=~"$b",c!="x"}[5m])) > on (d) time() - max(up{job="m"})';
  t.deepEqual(selectorsOf(expr), [
    { metric: 'muster_a_bucket', matched: ['b', 'c'] },
    { metric: 'up', matched: ['job'] },
  ]);
  t.deepEqual(labelsOf(expr, '95 % {{instance}} {{ e }}'), ['le', 'instance', 'd', 'instance', 'e']);
});
