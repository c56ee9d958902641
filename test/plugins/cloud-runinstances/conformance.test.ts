import test from 'ava';
import plugin from '../../../plugins/cloud-runinstances/index.ts';
import { testProvider } from '../../../plugin-testkit/index.ts';
import { cloudKit } from '../cloud/conformance-support.ts';

testProvider(cloudKit({ test, plugin, about: 'RunInstances', action: 'RunInstances', notices: true }));
