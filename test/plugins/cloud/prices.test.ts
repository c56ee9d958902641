import test from 'ava';
import { onDemandPrice, priceList } from '../../../plugins/cloud/catalogue/on-demand-price.ts';
import { instanceTypes } from '../../../plugins/cloud/catalogue/index.ts';
import { machinePrice } from '../../../plugins/cloud/prices/machine-price.ts';

const near = (price: number | undefined, expected: number): boolean =>
  price !== undefined && Math.abs(price / expected - 1) < 0.01;

// From the price pages of AWS.
for (const [region, type, usd] of [
  ['us-east-1', 'm5.large', 0.096],
  ['us-west-2', 'c5.9xlarge', 1.53],
  ['eu-west-1', 'm5.large', 0.107],
  ['eu-west-1', 'c5.large', 0.096],
  ['eu-central-1', 'm5.2xlarge', 0.46],
  ['ap-northeast-1', 'm5.xlarge', 0.248],
  ['ap-south-1', 'm5.large', 0.101],
  ['us-west-1', 'm5.large', 0.112],
  ['sa-east-1', 'm5.large', 0.153],
] as const)
  test(`the list price of ${type} in ${region} is ${usd} dollars`, (t) => {
    t.true(near(onDemandPrice(region, type), usd), String(onDemandPrice(region, type)));
  });

test('a type or a region that the list lacks has no price', (t) => {
  t.is(onDemandPrice('us-east-1', 'q9.large'), undefined);
  t.is(onDemandPrice('mars-north-1', 'm5.large'), undefined);
  t.is(onDemandPrice('eu-west-1', 'c8g.large'), undefined, 'newer than the list');
  t.regex(priceList.date, /^\d{4}-\d\d-\d\d$/);
});

test('every list price of a region is between half and three times that of us-east-1', (t) => {
  for (const region of ['eu-west-1', 'ap-south-1', 'af-south-1', 'us-gov-west-1', 'ap-southeast-4'])
    for (const [type, { on_demand_price }] of instanceTypes) {
      const price = onDemandPrice(region, type);
      if (price === undefined) continue;
      t.true(price > on_demand_price / 2 && price < on_demand_price * 3, `${region} ${type}`);
    }
});

const at = { region: 'us-east-1', prices: { factor: 1, table: {} } };
const own = {
  region: 'us-east-1',
  prices: { factor: 0.5, table: { 'm5.large': { ondemand: 0.05 }, 'p5.48xlarge': { spot: 20 } } },
};

for (const [what, settings, pool, spot, expected] of [
  ['on demand', at, { machine_type: 'm5.large', market: 'on-demand' }, undefined, [0.096, 'catalogue']],
  ['Spot', at, { machine_type: 'm5.large', market: 'spot' }, 0.0341, [0.0341, 'spot_history']],
  ['Spot without history', at, { machine_type: 'm5.large', market: 'spot' }, undefined, [0.096, 'catalogue']],
  ['an unknown type', at, { machine_type: 'q9.large', market: 'on-demand' }, undefined, undefined],
  ['an unknown type on Spot', at, { machine_type: 'q9.large', market: 'spot' }, 0.5, [0.5, 'spot_history']],
  ['a capacity block', at, { machine_type: 'p5.48xlarge', market: 'capacity-block' }, undefined, undefined],
  ['an own price', own, { machine_type: 'm5.large', market: 'on-demand' }, undefined, [0.05, 'own']],
  [
    'Spot of a type with an own price on demand',
    own,
    { machine_type: 'm5.large', market: 'spot' },
    0.03,
    [0.015, 'spot_history'],
  ],
  ['an own Spot price', own, { machine_type: 'p5.48xlarge', market: 'spot' }, 30, [20, 'own']],
  ['a discount', own, { machine_type: 'c5.large', market: 'on-demand' }, undefined, [0.0425, 'catalogue']],
  [
    'a type named like a property of objects',
    own,
    { machine_type: 'constructor', market: 'on-demand' },
    undefined,
    undefined,
  ],
] as const)
  test(`the price of ${what}`, (t) => {
    const price = machinePrice(settings, pool, spot);
    t.deepEqual(price && [price.usd_per_hour, price.source], expected as typeof expected & unknown[]);
  });
