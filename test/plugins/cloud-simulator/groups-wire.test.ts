import test from 'ava';
import { AwsError } from '../../../plugins/cloud-simulator/wire/errors.ts';
import { filterParams } from '../../../plugins/cloud-simulator/wire/group-pages.ts';
import { memberSet } from '../../../plugins/cloud-simulator/wire/members.ts';
import { protocolOf } from '../../../plugins/cloud-simulator/wire/protocols.ts';

const autoScaling = protocolOf('2011-01-01');

test('members of an answer stand inside the result of their action, and an empty answer has one too', (t) => {
  t.regex(
    autoScaling.success('DescribeTags', '<Tags/>', 'r-1'),
    /<DescribeTagsResponse [^>]*><DescribeTagsResult><Tags\/><\/DescribeTagsResult>/,
  );
  t.regex(autoScaling.success('DetachInstances', '', 'r-1'), /<DetachInstancesResult><\/DetachInstancesResult>/);
});

test('an error says whose fault it is and carries its code without "Fault"', (t) => {
  const client = autoScaling.failure(new AwsError('AlreadyExists', 'It is there.'), 'r-1');
  t.regex(
    client,
    /<ErrorResponse [^>]*><Error><Type>Sender<\/Type><Code>AlreadyExists<\/Code><Message>It is there\.<\/Message><\/Error>/,
  );
  t.regex(autoScaling.failure(new AwsError('ResourceContention', ''), 'r-1'), /<Type>Receiver<\/Type>/);
  t.is(new AwsError('ResourceContention', '').status, 500);
  t.is(new AwsError('Throttling', '').status, 400);
  t.is(new AwsError('AccessDenied', '').status, 403);
});

test('lists are members', (t) => {
  t.is(
    memberSet('Names', ['a', 'b'], (name) => name),
    '<Names><member>a</member><member>b</member></Names>',
  );
  t.is(memberSet('Names', [], String), '<Names/>');
});

test('filters are read as those of EC2', (t) => {
  const Filters = { member: { 1: { Name: 'tag:a', Values: { member: { 1: 'x', 2: 'y' } } } } };
  t.like(filterParams({ Filters }), { Filter: { 1: { Name: 'tag:a', Value: { 1: 'x', 2: 'y' } } } });
});
