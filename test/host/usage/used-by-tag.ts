import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { noUsage, usageTopic } from '../../../core/model/usage/usage.ts';
import { bootBroker, makePlace, type PlaceOptions, until } from '../../support/boot-broker.ts';

/** Use by tags of the template and of requests, living and after the records are gone, on a storage. */
export async function usedByTag(t: ExecutionContext, options: PlaceOptions): Promise<void> {
  const untagged = {
    provider_api: 'RunInstances',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
  };
  const place = await makePlace({
    ...options,
    templates: [
      { template_id: 'untagged', ...untagged },
      {
        template_id: 'small',
        ...untagged,
        tags: { team: 'blue', stage: 'test' },
        additional_data_tags: ['team', 'project', 'other'],
      },
    ],
    configuration: { ...options.configuration, usage: { tags: ['team', 'project'] } },
  });
  const path = join(place.directory, 'muster.config.json');
  const configuration = JSON.parse(await readFile(path, 'utf8'));
  // A template without tags gets those of the instance.
  configuration.providers[0].template_defaults = { tags: { team: 'green' } };
  await writeFile(path, JSON.stringify(configuration));
  const broker = await bootBroker({ place });
  t.teardown(async () => {
    await broker.close();
    await place.close();
  });
  const requests = [
    ['small', 1, {}],
    ['small', 2, { team: 'red', project: 'a,b' }],
    ['small', 1, { team: 'red', other: 'x' }],
    ['untagged', 1, {}],
  ] as const;
  const machine_ids: string[] = [];
  for (const [template_id, machine_count, tags] of requests) {
    const { body } = await broker.call('POST', '/requests/', {
      template_id,
      machine_count,
      additional_data: tags,
    });
    const machines = await until(async () => {
      const status = (await broker.call('GET', `/requests/${body.request_id}`)).body;
      return status.status === 'completed' && status.machines;
    });
    machine_ids.push(...machines.map((each: any) => each.machine_id));
  }
  const by = async (group_by: string, accept = 'application/json') =>
    (await broker.call('GET', `/usage?group_by=${encodeURIComponent(group_by)}`, undefined, { accept })).body;
  const groups = async (group_by: string) =>
    (await by(group_by)).rows.map(({ group, untagged_machine_seconds }: any) => [group, untagged_machine_seconds]);
  const expected = [
    [{ 'tag:team': 'blue', 'tag:project': null }, 0],
    [{ 'tag:team': 'green', 'tag:project': null }, 0],
    [{ 'tag:team': 'red', 'tag:project': 'a,b' }, 0],
    [{ 'tag:team': 'red', 'tag:project': null }, 0],
  ];
  t.deepEqual(await groups('tag:team,tag:project'), expected);
  // The cloud dates launch and end in whole seconds: within one of them nothing was used.
  await sleep(1_100);
  const { body: returned } = await broker.call('POST', '/machines/return', { machine_ids });
  await until(async () => (await broker.call('GET', `/requests/${returned.request_id}`)).body.status === 'completed');
  await until(async () => (await broker.broker.store.count('machine', { gone_at: null })) === 0);
  const total = async (rows: readonly any[]) => rows.reduce((sum, { machine_seconds }) => sum + machine_seconds, 0);
  const [whole] = (await by('')).rows;
  await broker.broker.store.commit(
    (await broker.broker.store.find('machine', {})).map((key) => ({ op: 'delete', kind: 'machine', key })),
  );
  t.deepEqual(await groups('tag:team,tag:project'), expected);
  t.is(Math.round((await total((await by('tag:team')).rows)) * 1000), Math.round(whole.machine_seconds * 1000));
  const csv = await by('tag:project,template_id', 'text/csv');
  t.regex(csv, /^tag:project,template_id,machine_seconds,.*,untagged_machine_seconds\r\n"a,b",small,/);
  // A machine from before the tags were configured.
  const today = new Date().toISOString().slice(0, 10);
  const key = { topic: usageTopic, name: today, item: JSON.stringify(['small', 'east', null, null]) };
  const value = { ...noUsage, machine_ms: 5_000 };
  await broker.broker.store.commit([{ op: 'put', kind: 'fact', record: { ...key, value, at: 1 } }]);
  t.deepEqual(await groups('tag:team'), [
    [{ 'tag:team': 'blue' }, 0],
    [{ 'tag:team': 'green' }, 0],
    [{ 'tag:team': 'red' }, 0],
    [{ 'tag:team': null }, 5],
  ]);
  const { status, body } = await broker.call('GET', '/usage?group_by=tag:owner');
  t.is(status, 400);
  t.regex(JSON.stringify(body), /use is not summed up by the tag 'owner'.*which has 'team', 'project'/);
}
