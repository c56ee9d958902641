import test from 'ava';
import plugin from '../../../plugins/cloud-ec2fleet/index.ts';
import { testProvider } from '../../../plugin-testkit/index.ts';
import { cloudKit } from '../cloud/conformance-support.ts';
import { variants } from '../../support/variants.ts';

for (const fleet_type of variants(['maintain', 'instant', 'request']))
  testProvider(
    cloudKit({ test, plugin, about: `EC2Fleet ${fleet_type}`, action: 'CreateFleet', template: { fleet_type } }),
  );
