import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';

const secret = 'postgres://app:hunter2hunter2@db/prod';
const almost = 'ami-hunter2hunter2';
const image = 'ami-0123456789abcdef0';
const parameters = { '/prod/db/url': secret, '/prod/almost': almost, '/prod/image': image };

const apis = ['RunInstances', 'EC2Fleet', 'SpotFleet', 'ASG'] as const;
const ways = [
  (name: string) => ({ image_id: `resolve:ssm:${name}` }),
  (name: string) => ({ image_id: name }),
  (name: string) => ({ image_id: name, root_volume_size: 20 }),
  (name: string) => ({ launch_template_spec: { ImageId: `resolve:ssm:${name}` } }),
];

/** Everything that anybody is told of a request for a machine of each template: answers, events, the log. */
async function toldOf(t: import('ava').ExecutionContext, names: readonly string[]) {
  const log: string[] = [];
  const hear = (fields: unknown, message: string) => void log.push(`${JSON.stringify(fields)} ${message}`);
  const templates = names.flatMap((name, a) =>
    apis.flatMap((provider_api, b) =>
      ways.map((way, c) => ({
        template_id: `t${a}-${b}-${c}`,
        provider_api,
        machine_type: 't3.small',
        subnet_ids: ['subnet-1'],
        ...(provider_api === 'SpotFleet' ? { price_type: 'spot' } : {}),
        ...way(name),
      })),
    ),
  );
  const broker = await bootBroker({
    knobs: { parameters, strict_ids: true },
    templates,
    configuration: {
      plugins: [
        'cloud',
        'cloud-runinstances',
        'cloud-ec2fleet',
        'cloud-spotfleet',
        'cloud-asg',
        'default-format',
        'storage-sqlite',
      ],
      storage: { type: 'sqlite', path: './data/muster.db' },
    },
    log: { debug: hear, info: hear, warn: hear, error: hear },
  });
  t.teardown(() => broker.close());
  const { call, until } = broker;
  const answers: string[] = [];
  for (const { template_id } of templates) {
    answers.push(
      JSON.stringify((await call('POST', `/templates/${template_id}/validate`, { provider_instance: 'east' })).body),
    );
    const { body } = await call('POST', '/machines/request', { template_id, machine_count: 1, timeout: 15 });
    answers.push(JSON.stringify(body));
    const ended = await until(async () => {
      const { body: status } = await call('GET', `/requests/${body.request_id}/status?long=true`);
      return (status.status !== 'pending' || status.message.includes('parameter')) && status;
    });
    answers.push(JSON.stringify(ended));
  }
  for (const path of ['/providers/', '/requests/?limit=500', '/events/?limit=1000', '/providers/east'])
    answers.push(JSON.stringify((await call('GET', path)).body));
  const data = join(broker.place.directory, 'data');
  const stored = ['muster.db', 'muster.db-wal'].map((file) => readFileSync(join(data, file), 'latin1')).join('');
  return { answers: answers.join('\n'), log: log.join('\n'), stored };
}

test('the value of a parameter that is no image is neither shown nor stored', async (t) => {
  const { answers, log, stored } = await toldOf(t, ['/prod/db/url', '/prod/almost']);
  t.regex(answers, /The parameter '\/prod\/db\/url', which names the image, contains no image id/);
  t.regex(answers, /The parameter '\/prod\/almost', which names the image, contains no image id/);
  for (const [where, text] of Object.entries({ answers, log, stored })) t.false(text.includes('hunter2'), where);
});

test('the refusal of an image names the parameter that contains it', async (t) => {
  const { answers, log } = await toldOf(t, ['/prod/image']);
  t.regex(answers, /image of parameter \/prod\/image/);
  t.false(answers.includes(image));
  t.false(log.includes(image));
});
