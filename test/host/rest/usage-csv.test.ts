import test from 'ava';
import { noUsage, usageTopic } from '../../../core/model/usage/usage.ts';
import { bootBroker } from '../../support/boot-broker.ts';

const amounts =
  'machine_seconds,vcpu_seconds,usd,unsized_machine_seconds,unpriced_machine_seconds,untagged_machine_seconds';

test('usage is CSV over HTTP where a call asks for it: with its type, a header also without rows, and hostile names quoted', async (t) => {
  const broker = await bootBroker({ loop: 'none', storage: 'memory' });
  t.teardown(() => broker.close());
  const url = `${await broker.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/usage?from=2026-01-01&to=2026-01-02`;
  const ask = async (query: string, accept: string) => {
    const answer = await fetch(`${url}${query}`, { headers: { accept } });
    return { type: answer.headers.get('content-type'), vary: answer.headers.get('vary'), text: await answer.text() };
  };
  const type = 'text/csv; charset=utf-8; header=present';
  t.deepEqual(await ask('', 'text/csv'), { type, vary: 'Accept', text: `template_id,${amounts}\r\n` });

  const kinds = [
    ['a', 'east', "=cmd|'/C calc'!A0", 'on-demand'],
    ['b', 'east', 'm5 "large",\nüber', 'spot'],
    ['c', 'west', null, null],
  ];
  await broker.broker.store.commit(
    kinds.map((kind) => ({
      op: 'put',
      kind: 'fact',
      record: {
        topic: usageTopic,
        name: '2026-01-01',
        item: JSON.stringify(kind),
        value: { ...noUsage, machine_ms: 90_500, vcpu_ms: 181_000, usd: 0.25 },
        at: 1,
      },
    })),
  );
  t.is(
    (await ask('&group_by=machine_type,market', 'application/json;q=0.5, TEXT/CSV;q=0.9')).text,
    [
      `machine_type,market,${amounts}`,
      `'=cmd|'/C calc'!A0,ondemand,90.5,181,0.25,0,0,0`,
      '"m5 ""large"",\nüber",spot,90.5,181,0.25,0,0,0',
      ',,90.5,181,0.25,0,0,0',
      '',
    ].join('\r\n'),
  );
  t.is((await ask('&group_by=', 'text/csv')).text, `${amounts}\r\n271.5,543,0.75,0,0,0\r\n`);
  const { paths } = JSON.parse((await broker.app.inject('/openapi.json')).body);
  t.deepEqual(paths['/api/v1/usage'].get.responses['200'].content['text/csv'], {
    schema: { type: 'string' },
    example: `template_id,${amounts}\r\n`,
  });
  const json = await ask('', 'application/json');
  t.deepEqual([json.type, json.vary], ['application/json; charset=utf-8', 'Accept']);
  t.is(JSON.parse(json.text).rows.length, 3);
  const wrong = await ask('&group_by=owner', 'text/csv');
  t.regex(wrong.type ?? '', /^application\/(problem\+)?json/);
});
