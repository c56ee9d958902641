import { registerHooks } from 'node:module';
import test from 'ava';

const loaded: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    if (/\/node_modules\/@(aws-sdk|smithy)\//.test(url)) loaded.push(url);
    return nextLoad(url, context);
  },
});

test('the SDK is loaded by the first call, and neither by plugins nor by sessions', async (t) => {
  for (const name of ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'cloud-spotfleet', 'cloud-asg'])
    await import(`../../../plugins/${name}/index.ts`);
  const { cloud } = await import('../../../plugins/cloud/index.ts');
  const { systemClock } = await import('../../../core/contract/clock.ts');
  const { silentLog: log } = await import('../../../core/contract/log.ts');
  const config = {
    endpoint_url: 'http://127.0.0.1:1',
    cloud_max_retries: 0,
    access_key_id: 'a',
    secret_access_key: 'b',
  };
  const context = {
    instance: 'east',
    endpoint: async (url: string) => url,
    clock: systemClock,
    log,
    installation: 'here',
  };
  const session = await cloud.connect(config, context);
  t.deepEqual(loaded, []);

  const call = { signal: new AbortController().signal, fence: () => undefined, log };
  await t.throwsAsync(async () => cloud.check?.(session, call));
  t.true(loaded.some((url) => url.includes('/client-ec2/')));
  t.false(loaded.some((url) => url.includes('/client-auto-scaling/')));
});
