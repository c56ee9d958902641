import test from 'ava';
import { joinTagSpecifications, tagsOf, tagSpecifications } from '../../../plugins/cloud/index.ts';
import { reviewTags } from '../../../plugins/cloud/template/tags.ts';

test("our tags stand above the order's, and those above the template's", (t) => {
  const tags = tagsOf(
    {
      request_id: 'req-1',
      attempt: 2,
      template: { template_id: 't', tags: { a: 'template', b: 'template', 'muster:attempt': '9' } },
      tags: { b: 'order' },
    },
    'inst',
  );
  t.deepEqual(Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])), {
    a: 'template',
    b: 'order',
    'muster:request-id': 'req-1',
    'muster:attempt': '2',
    'muster:installation': 'inst',
  });
});

test('a native specification adds tags and replaces none of muster', (t) => {
  const ours = tagSpecifications(['instance'], [{ Key: 'muster:attempt', Value: '1' }]);
  const given = [
    {
      ResourceType: 'instance',
      Tags: [
        { Key: 'x', Value: '1' },
        { Key: 'muster:attempt', Value: '7' },
      ],
    },
    { ResourceType: 'elastic-gpu', Tags: [{ Key: 'x', Value: '1' }] },
    { ResourceType: 'spot-instances-request', Tags: [{ Key: 'x', Value: '1' }] },
  ];
  t.deepEqual(joinTagSpecifications(given, ours), [
    {
      ResourceType: 'instance',
      Tags: [
        { Key: 'x', Value: '1' },
        { Key: 'muster:attempt', Value: '1' },
      ],
    },
    { ResourceType: 'elastic-gpu', Tags: [{ Key: 'x', Value: '1' }] },
  ]);
  t.deepEqual(joinTagSpecifications(undefined, ours), [...ours]);
});

test('the review reports reserved names of tags', (t) => {
  t.deepEqual(reviewTags({ 'AWS:x': '1', 'muster:attempt': '1', team: 'blue' }), [
    {
      level: 'error',
      path: '/tags/AWS:x',
      message: 'must not begin with `aws:`, which the cloud reserves for itself',
    },
    {
      level: 'error',
      path: '/tags/muster:attempt',
      message: 'must not begin with `muster:`, which muster reserves for itself',
    },
  ]);
});
