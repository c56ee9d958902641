import test from 'ava';
import { operations as registered } from '../../../core/operations/registry.ts';
import { operation, type Operation } from '../../../core/operations/operation.ts';
import { Type } from 'typebox';

const operations: readonly Operation<any, any>[] = registered;

test('kind and name follow from the class name', (t) => {
  const made = operation('SyncAndGetRequestQuery', {
    summary: '',
    input: Type.Object({}),
    output: Type.Object({}),
    handle: async () => ({}),
  });
  t.like(made, { kind: 'query', name: 'sync_and_get_request', class_name: 'SyncAndGetRequestQuery' });
});

test('no two operations share a name, a route or a command', (t) => {
  const routes = operations.flatMap((each) => [each.rest ?? []].flat().map((rest) => `${rest.method} ${rest.path}`));
  for (const names of [
    operations.map((each) => each.name),
    routes,
    operations.flatMap((each) => each.cli?.command ?? []),
  ]) {
    t.is(new Set(names).size, names.length);
  }
});

const open = ['create_template', 'update_template', 'validate_template'];

test('every input of an operation is described and closed, except template inputs', (t) => {
  for (const { name, input } of operations) {
    t.is(input.additionalProperties, open.includes(name), name);
    for (const [field, schema] of Object.entries(input.properties as Record<string, { description?: string }>))
      t.truthy(schema.description, `${name}.${field}`);
  }
});

test('the path, the presets, the omitted fields and the defaults of a route are inputs of the operation', (t) => {
  for (const { name, input, rest } of operations) {
    for (const binding of [rest ?? []].flat()) {
      const path = [...binding.path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field ?? '');
      const named = [
        ...path,
        ...(binding.omit ?? []),
        ...Object.keys(binding.preset ?? {}),
        ...Object.keys(binding.defaults ?? {}),
      ];
      t.deepEqual(
        named.filter((field) => !(field in input.properties)),
        [],
        name,
      );
    }
  }
});
