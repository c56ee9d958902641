import test from 'ava';
import plugin from '../../../plugins/cloud-spotfleet/index.ts';
import { testProvider } from '../../../plugin-testkit/index.ts';
import { cloudKit } from '../cloud/conformance-support.ts';
import { variants } from '../../support/variants.ts';

for (const fleet_type of variants(['request', 'maintain']))
  testProvider(
    cloudKit({
      test,
      plugin,
      about: `SpotFleet ${fleet_type}`,
      action: 'RequestSpotFleet',
      template: { fleet_type, price_type: 'spot' },
    }),
  );
