import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { bootBroker } from '../support/boot-broker.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary: string };
    }[];
  }[];
}

const file = join(import.meta.dirname, '../../docs/deploy/prometheus/alerts.yml');
const rules = (parse(readFileSync(file, 'utf8')) as Rules).groups.flatMap((group) => group.rules);

test('every metric of an alert rule exists, and every rule says in a sentence what is wrong', async (t) => {
  const broker = await bootBroker({ storage: 'memory' });
  t.teardown(() => broker.close());
  const request = () => broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  const { request_id } = (await request()).body;
  await broker.until(async () => (await broker.call('GET', `/requests/${request_id}`)).body.status === 'completed');
  broker.simulator.setKnobs({ boot_ms: 60_000 });
  await request();
  const { body } = await broker.app.inject('/metrics');
  const known = new Set([...body.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name));
  t.true(rules.length > 5);
  for (const { alert, expr, annotations } of rules) {
    const names = [...expr.matchAll(/muster_\w+/g)].map(([name]) => name.replace(/_(count|sum|bucket)$/, ''));
    t.true(names.length > 0 || expr.startsWith('up{'), alert);
    t.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
      alert,
    );
    t.regex(annotations.summary, /^[A-Z].*[.]$/s, alert);
  }
});
