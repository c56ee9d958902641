import test from 'ava';
import { draftOf } from '../../../host/page/views/new-template/draft.ts';

const draft = (...fields: readonly (readonly [string, string])[]) => {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return draftOf(form);
};

test('what is empty in the form is no field of the template', (t) => {
  t.deepEqual(draft(['template_id', ' a '], ['description', '  '], ['max_instances', ''], ['subnet_ids', ' , ']), {
    template_id: 'a',
  });
});

test('ids that are ticked and ids that are typed are one list, each once', (t) => {
  t.deepEqual(draft(['subnet_ids', 'subnet-a'], ['subnet_ids', 'subnet-b, subnet-a  subnet-c']), {
    subnet_ids: ['subnet-a', 'subnet-b', 'subnet-c'],
  });
});

test('one machine type is the machine type; several have the same weight, in their order', (t) => {
  t.deepEqual(draft(['machine_types', 't3.micro']), { machine_type: 't3.micro' });
  const { machine_types } = draft(['machine_types', 'm5.large, c5.large']);
  t.deepEqual(Object.entries(machine_types as object), [
    ['m5.large', 1],
    ['c5.large', 1],
  ]);
});

test('a limit is a number, also when no machine is allowed', (t) => {
  t.deepEqual(draft(['max_instances', '0']), { max_instances: 0 });
});
