import test from 'ava';
import { fitOf } from '../../../core/providers/fit.ts';
import { TemplateReview } from '../../../core/templates/review.ts';
import { apiOf, directoryOf, instanceOf } from '../../support/directory-of.ts';
import { scriptedType } from '../../support/scripted-cloud.ts';

const apis = [apiOf('Large', 1_000), apiOf('Small', 5)];
const review = new TemplateReview([scriptedType], apis);

async function fit(
  template: object,
  template_defaults: Readonly<Record<string, unknown>> = {},
  max_instances_per_request = 100,
) {
  const instance = instanceOf('east', {
    template_defaults,
    limits: { max_instances_per_request, max_concurrent_requests: null },
  });
  const { directory } = await directoryOf([instance], apis);
  return fitOf({ template_id: 'x', ...template }, instance, directory, review);
}

test('a template that allows more machines than the instance or its API does not fit', async (t) => {
  t.deepEqual((await fit({ max_instances: 101 })).errors, [
    "/max_instances: 101 machines are more than the 100 that 'east' allows for one request",
  ]);
  t.deepEqual((await fit({ max_instances: 6, provider_api: 'Small' })).errors, [
    "/max_instances: 6 machines are more than the 5 that the API 'Small' allows for one request",
  ]);
  t.true((await fit({ max_instances: 5, provider_api: 'Small' })).valid);
});

test('the defaults of the instance count: its API, its limit and its fields', async (t) => {
  const { supported_features, errors } = await fit(
    {},
    { provider_api: 'Small', max_instances: 6, price_type: 'spot' },
  );
  t.deepEqual(errors, ["/max_instances: 6 machines are more than the 5 that the API 'Small' allows for one request"]);
  t.deepEqual(supported_features, ['api:Small']);
  t.deepEqual((await fit({ provider_api: 'Large' }, { provider_api: 'Small' })).supported_features, [
    'api:Large',
    'price:ondemand',
  ]);
});

test('the defaults of an instance do not select the instance', async (t) => {
  const { valid, warnings } = await fit({}, { provider_name: 'west', provider_type: 'metal' });
  t.deepEqual([valid, warnings], [true, []]);
});

test('defaults that require an API that is not offered are an error', async (t) => {
  t.deepEqual((await fit({}, { provider_api: 'Smal' })).errors, [
    "/provider_api: 'Smal' is not offered by 'east'; did you mean 'Small'?",
  ]);
});
