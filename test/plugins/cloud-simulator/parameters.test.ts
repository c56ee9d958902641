import { GetParameterCommand, GetParametersByPathCommand, GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import test, { type ExecutionContext } from 'ava';
import { imageOfAlias } from '../../../plugins/cloud-simulator/launch/specification/image-ids.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { launch, openCloud, refusal } from './support.ts';

async function open(t: ExecutionContext, knobs: KnobChange = {}) {
  const cloud = await openCloud(t, { knobs });
  const credentials = { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' };
  const client = new SSMClient({ endpoint: cloud.simulator.url, region: 'us-east-1', maxAttempts: 1, credentials });
  t.teardown(() => client.destroy());
  return {
    ...cloud,
    client,
    get: (Name: string) => client.send(new GetParameterCommand({ Name })),
  };
}

test('a parameter holds the image that a launch by its name would take', async (t) => {
  const { get, ec2, simulator } = await open(t);
  for (const name of ['/images/one', '/images/one:3', 'one:stable']) {
    const { Parameter } = await get(name);
    const { Instances } = await ec2.send(launch({ ImageId: `resolve:ssm:${name}` }));
    t.is(Parameter?.Value, imageOfAlias(`resolve:ssm:${name}`));
    t.is(Parameter?.Value, Instances?.[0]?.ImageId);
  }
  const { Parameter } = await get('/images/one:3');
  t.like(Parameter, { Name: '/images/one', Version: 3, Selector: ':3', Type: 'String' });
  t.like(simulator.audit().at(-1), {
    action: 'GetParameter',
    region: 'us-east-1',
    executed: true,
    answered: true,
    code: null,
  });
});

test('parameters that are missing, and with strict_ids all, are not found', async (t) => {
  const { get, simulator } = await open(t);
  t.like(await refusal(get('/images/missing')), { code: 'ParameterNotFound', status: 400 });
  t.like(await refusal(get('no good name')), { code: 'ValidationException', status: 400 });
  simulator.setKnobs({ strict_ids: true });
  t.like(await refusal(get('/images/one')), { code: 'ParameterNotFound', status: 400 });
});

test('denials, throttling and faults of Systems Manager have the codes of the service', async (t) => {
  const { get, simulator } = await open(t);
  simulator.setKnobs({ auth: { denied: [{ action: 'GetParameter' }] } });
  const denied = await refusal(get('/a'));
  t.like(denied, { code: 'AccessDeniedException', status: 400 });
  t.regex(denied.message, /not authorized to perform: ssm:GetParameter/);
  simulator.setKnobs({ auth: { denied: [], known_keys: ['AKIAOTHER'] } });
  t.like(await refusal(get('/a')), { code: 'UnrecognizedClientException', status: 400 });
  simulator.setKnobs({ auth: { known_keys: null }, throttle: { next: [{ action: 'GetParameter', times: 1 }] } });
  t.like(await refusal(get('/a')), { code: 'ThrottlingException', status: 400 });
  simulator.setKnobs({ throttle: { next: [] }, faults: [{ action: 'GetParameter', effect: 'skip', then: 'error' }] });
  t.like(await refusal(get('/a')), { code: 'InternalError', status: 500 });
  t.is((await get('/a')).Parameter?.Name, '/a');
});

test('several parameters are read in one call, and names without a parameter are listed', async (t) => {
  const { client, get } = await open(t, { parameters: { '/own': 'ami-1' } });
  const read = (Names: string[]) => client.send(new GetParametersCommand({ Names }));
  const { Parameters, InvalidParameters } = await read(['/own', '/images/one', '/images/missing', 'no good name']);
  t.deepEqual(
    Parameters?.map((one) => one.Value),
    ['ami-1', (await get('/images/one')).Parameter?.Value],
  );
  t.deepEqual(InvalidParameters, ['/images/missing', 'no good name']);
  t.like(await refusal(read([])), { code: 'ValidationException' });
  t.like(await refusal(read(Array.from({ length: 11 }, (_, index) => `/p${index}`))), { code: 'ValidationException' });
  t.like(await refusal(read(['/own', '/own'])), { code: 'ValidationException' });
});

test('parameters are listed by path, page by page', async (t) => {
  const own = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`/own/p${index}`, `ami-${index}`]));
  const { client, simulator } = await open(t, { parameters: { ...own, '/own/deep/one': 'ami-d', '/other': 'ami-0' } });
  const read = (input: object) => client.send(new GetParametersByPathCommand({ Path: '/own', ...input }));
  const first = await read({});
  t.is(first.Parameters?.length, 10);
  const second = await read({ NextToken: first.NextToken });
  t.is(second.Parameters?.length, 2);
  t.is(second.NextToken, undefined);
  const deep = await read({ Recursive: true, MaxResults: 1 });
  t.is(deep.Parameters?.[0]?.Name, '/own/deep/one');
  t.like(await refusal(read({ Path: '/other/', NextToken: first.NextToken })), { code: 'InvalidNextToken' });
  t.like(await refusal(read({ Path: 'own' })), { code: 'ValidationException' });
  t.like(await refusal(read({ MaxResults: 11 })), { code: 'ValidationException' });
  const published = { Path: '/aws/service/ami-amazon-linux-latest' };
  t.is((await read(published)).Parameters?.length, 7);
  simulator.setKnobs({ strict_ids: true });
  t.deepEqual((await read(published)).Parameters, []);
});
