import test from 'ava';
import plugin from '../../../plugins/default-format/index.ts';
import { testScheduler } from '../../../plugin-testkit/index.ts';

const small = {
  template_id: 'small',
  image_id: 'ami-1',
  subnet_ids: ['subnet-1'],
  max_instances: 5,
  tags: { teamName: 'a' },
};

testScheduler({
  test,
  plugin: () => plugin,
  files: [
    {
      name: 'templates.json',
      content: { templates: [small, { templateId: 'camel', imageId: 'ami-2', vmType: 't3.small', gpuExtend: 'x' }] },
      templates: { small, camel: { image_id: 'ami-2', machine_type: 't3.small', gpuExtend: 'x' } },
    },
    {
      name: 'list.yaml',
      content: [small, { template_id: 'large', machine_type: 't3.large' }],
      templates: { small, large: { machine_type: 't3.large' } },
    },
    {
      name: 'wrong.json',
      content: {
        templates: [
          { image_id: 'ami-1' },
          small,
          { template_id: 7 },
          small,
          'small',
          { template_id: 'two', image_id: 'a', imageId: 'b' },
        ],
      },
      templates: { small },
      errors: [
        '/templates/0/template_id',
        '/templates/2/template_id',
        '/templates/3/template_id',
        '/templates/4',
        '/templates/5/imageId',
        '/templates/5/image_id',
      ],
    },
  ],
});
