import { join } from 'node:path';
import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';

test('a text for which the pattern of a plugin takes hours is refused, and other calls are answered', async (t) => {
  const broker = await bootBroker({
    storage: 'memory',
    templates: [],
    configuration: {
      plugins: [join(import.meta.dirname, 'accounts.ts'), 'default-format', 'storage-memory'],
      providers: [{ name: 'lab', type: 'account' }],
    },
  });
  t.teardown(() => broker.close());
  const template = { templateId: 'tried', imageId: 'img-1', providerApi: 'Accounted' };
  const validate = (size: string) => broker.call('POST', '/templates/validate', { ...template, size });
  const [slow, quick] = await Promise.all([validate(`${'a'.repeat(48)}!`), validate('aaa')]);
  t.is(slow.status, 200);
  t.false(slow.body.valid);
  t.is(slow.body.validationErrors.length, 1);
  t.regex(slow.body.validationErrors[0], /^cannot be checked within 100 ms.*\^\(a\+\)\+\$/);
  t.like(quick.body, { valid: true, validationErrors: [] });
  const created = await broker.call('POST', '/templates/', { ...template, size: `${'a'.repeat(48)}!` });
  t.is(created.status, 400);
  t.is((await broker.call('GET', '/templates/tried')).status, 404);
});
