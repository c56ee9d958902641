import test from 'ava';
import { Type } from 'typebox';
import type { ProviderApi } from '../../../core/contract/provider/provider-api.ts';
import type { ProviderType } from '../../../core/contract/provider/provider-type.ts';
import { TemplateReview } from '../../../core/templates/review.ts';

const types = [
  {
    type: 'cloud',
    aliases: ['aws'],
    fields: Type.Object({
      market: Type.Optional(Type.Enum(['spot', 'ondemand'], { value_aliases: { cheap: 'spot' } })),
    }),
  },
  { type: 'metal', fields: Type.Object({ rack: Type.Optional(Type.String()) }) },
] as unknown as readonly ProviderType[];
const apis = [
  {
    type: 'cloud',
    name: 'ASG',
    aliases: ['AutoScalingGroup'],
    fields: Type.Object({ size: Type.Optional(Type.Integer()) }),
  },
  {
    type: 'metal',
    name: 'Racks',
    fields: Type.Object({ size: Type.Optional(Type.Enum(['small', 'large'])), needed: Type.String() }),
  },
] as unknown as readonly ProviderApi[];
const review = new TemplateReview(types, apis);

const spelled: readonly (readonly [Record<string, unknown>, Record<string, unknown>])[] = [
  [
    { templateId: 'a', imageId: 'ami-1' },
    { template_id: 'a', image_id: 'ami-1' },
  ],
  [{ instanceType: 't3.small' }, { machine_type: 't3.small' }],
  [
    { vmType: 't3.small', maxNumber: 4 },
    { machine_type: 't3.small', max_instances: 4 },
  ],
  [
    { providerType: 'aws', provider_api: 'AutoScalingGroup' },
    { provider_type: 'cloud', provider_api: 'ASG' },
  ],
  [{ provider_api: 'aws' }, { provider_api: 'cloud' }],
  [{ provider_api: 'Elsewhere' }, { provider_api: 'Elsewhere' }],
  [{ market: 'cheap' }, { market: 'spot' }],
  [{ tags: { imageId: 'x' } }, { tags: { imageId: 'x' } }],
  [{ someThing: 1 }, { someThing: 1 }],
];
for (const [raw, fields] of spelled) {
  test(`canonical spelling of ${JSON.stringify(raw)}`, (t) =>
    t.deepEqual(review.canonical(raw), { fields, findings: [] }));
}

const reviewed: readonly (readonly [
  string,
  Record<string, unknown>,
  readonly (readonly [string, string, string])[],
])[] = [
  ['nothing wrong', { template_id: 'a', rack: 'r1', size: 3 }, []],
  ['two plugins that differ in a field: either form is right', { template_id: 'a', size: 'small' }, []],
  ['no id', {}, [['error', '/template_id', 'is required']]],
  [
    'an id that is none',
    { template_id: '-a' },
    [['error', '/template_id', 'must match pattern "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"']],
  ],
  [
    'a wrong type',
    { template_id: 'a', subnet_ids: 'subnet-1' },
    [['error', '/subnet_ids', 'must be an array, not a string']],
  ],
  [
    'an unknown field',
    { template_id: 'a', imge_id: 'x' },
    [['warning', '/imge_id', "unknown field, kept as it is; did you mean 'image_id'?"]],
  ],
  [
    'a limit that is misspelt',
    { template_id: 'a', max_instance: 3 },
    [
      [
        'warning',
        '/max_instance',
        "unknown field, kept as it is; did you mean 'max_instances'? 'max_instances' is not set, so the number of its machines has no limit.",
      ],
    ],
  ],
  [
    'a limit that stands there, and another spelling of it that nobody knows',
    { template_id: 'a', max_instances: 3, max_instance: 3 },
    [['warning', '/max_instance', "unknown field, kept as it is; did you mean 'max_instances'?"]],
  ],
  [
    'an unknown type',
    { template_id: 'a', provider_type: 'clowd' },
    [['error', '/provider_type', "no loaded plugin brings the provider type 'clowd'; did you mean 'cloud'?"]],
  ],
  [
    'an unknown API',
    { template_id: 'a', provider_api: 'Rucks' },
    [['error', '/provider_api', "no loaded plugin brings the provider API 'Rucks'; did you mean 'Racks'?"]],
  ],
];
for (const [title, fields, findings] of reviewed) {
  test(`a template is reviewed: ${title}`, (t) => {
    t.deepEqual(
      review.review(fields).map(({ level, path, message }) => [level, path, message] as const),
      [...findings] as never,
    );
  });
}
