import test from 'ava';
import { cloudFields } from '../../../plugins/cloud/template/fields.ts';
import plugin from '../../../plugins/hostfactory-format/index.ts';
import { testScheduler } from '../../../plugin-testkit/index.ts';

testScheduler({
  test,
  plugin: () => plugin,
  scheduler: 'hostfactory',
  fields: [cloudFields],
  files: [
    {
      name: 'awsprov_templates.json',
      content: {
        templates: [
          {
            templateId: 'one',
            maxNumber: 5,
            vmType: 't3.small',
            imageId: 'ami-1',
            subnetId: 'subnet-1,subnet-2',
            instanceTags: 'a=1;b=2',
          },
          {
            templateId: 'spot',
            maxNumber: 2,
            vmTypes: { 't3.small': 1, 't3.large': 2 },
            priceType: 'spot',
            fleetRole: 'arn:x',
          },
        ],
      },
      templates: {
        one: {
          max_instances: 5,
          machine_type: 't3.small',
          image_id: 'ami-1',
          subnet_ids: ['subnet-1', 'subnet-2'],
          tags: { a: '1', b: '2' },
          provider_api: 'RunInstances',
        },
        spot: {
          max_instances: 2,
          machine_types: { 't3.small': 1, 't3.large': 2 },
          price_type: 'spot',
          fleet_role: 'arn:x',
          provider_api: 'SpotFleet',
        },
      },
    },
    {
      name: 'wrong_awsprov_templates.json',
      content: {
        templates: [
          { templateId: 'one', maxNumber: 1 },
          { templateId: 7, maxNumber: 1 },
          { templateId: 'one' },
          'one',
        ],
      },
      templates: { one: { max_instances: 1, provider_api: 'RunInstances' } },
      errors: ['/templates/1/templateId', '/templates/2/templateId', '/templates/3'],
    },
  ],
  foreignFiles: [
    { name: 'templates.json', content: { templates: [{ template_id: 'a', machine_type: 't3.small' }] } },
    {
      name: 'awsprov_templates.json',
      content: { scheduler_type: 'default', templates: [{ templateId: 'a', vmType: 't3.small' }] },
    },
    { name: 'templates.yaml', content: [{ templateId: 'a', machineType: 't3.small' }] },
  ],
});

testScheduler({ test, plugin: () => plugin, scheduler: 'lsf' });
