import test from 'ava';
import { poolsOf, matchingPools, type CloudTemplate } from '../../../plugins/cloud/index.ts';

const keys = (template: Partial<CloudTemplate>) =>
  poolsOf({ template_id: 't', ...template } as CloudTemplate).map((pool) => pool.key);

test('pools are types by priority, then subnets, then markets', (t) => {
  t.deepEqual(keys({ machine_type: 'm5.large', subnet_ids: ['subnet-1'] }), ['m5.large|subnet-1|on-demand']);
  t.deepEqual(keys({ machine_type: 'm5.large' }), ['m5.large|*|on-demand']);
  t.deepEqual(keys({ machine_types: { a: 1, b: 1 }, machine_type: 'c', subnet_ids: ['s', 'u'] }), [
    'a|s|on-demand',
    'a|u|on-demand',
    'b|s|on-demand',
    'b|u|on-demand',
  ]);
  t.deepEqual(keys({ machine_types: { a: 1, b: 1, c: 1 }, machine_types_priority: { c: 1, b: 2 } }), [
    'c|*|on-demand',
    'b|*|on-demand',
    'a|*|on-demand',
  ]);
});

test('a mixed template tries Spot, then on demand; heterogeneous is the same word', (t) => {
  t.deepEqual(keys({ machine_type: 'a', price_type: 'mixed' }), ['a|*|spot', 'a|*|on-demand']);
  t.deepEqual(
    keys({ machine_type: 'a', price_type: 'heterogeneous' }),
    keys({ machine_type: 'a', price_type: 'mixed' }),
  );
  t.deepEqual(keys({ machine_type: 'a', price_type: 'spot' }), ['a|*|spot']);
  t.deepEqual(keys({ machine_type: 'a', price_type: 'spot', percent_on_demand: 10 }), ['a|*|spot', 'a|*|on-demand']);
});

test('attributes and launch templates leave the type open', (t) => {
  t.deepEqual(keys({ instance_requirements: {}, subnet_ids: ['s'] }), ['*|s|on-demand']);
  t.deepEqual(keys({ launch_template_id: 'lt-1' }), ['*|*|on-demand']);
});

test('facts about a machine may match several pools', (t) => {
  const pools = poolsOf({ template_id: 't', machine_types: { a: 1, b: 1 }, subnet_ids: ['s', 'u'] } as CloudTemplate);
  t.deepEqual(
    matchingPools(pools, { machine_type: 'a', subnet_id: 'u', market: 'on-demand' }).map((pool) => pool.key),
    ['a|u|on-demand'],
  );
  t.deepEqual(
    matchingPools(pools, { machine_type: 'b' }).map((pool) => pool.key),
    ['b|s|on-demand', 'b|u|on-demand'],
  );
  t.deepEqual(matchingPools(pools, { machine_type: 'c' }), []);
});
