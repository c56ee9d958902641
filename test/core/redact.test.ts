import test from 'ava';
import { Type } from 'typebox';
import { redact } from '../../core/redact.ts';

const Secret = Type.Object({
  region: Type.String(),
  secret: Type.Optional(Type.Union([Type.String(), Type.Null()], { sensitive: true })),
  nested: Type.Optional(Type.Object({ token: Type.String({ sensitive: true }) })),
  list: Type.Optional(Type.Array(Type.Object({ token: Type.String({ sensitive: true }) }))),
});

test('sensitive fields are masked at every depth, others and empty ones are shown', (t) => {
  const value = { region: 'x', secret: 'hush', nested: { token: 'hush' }, list: [{ token: 'hush' }] };
  t.deepEqual(redact(Secret, value), { region: 'x', secret: '***', nested: { token: '***' }, list: [{ token: '***' }] });
  t.deepEqual(redact(Secret, { region: 'x', secret: null }), { region: 'x', secret: null });
  t.is(value.secret, 'hush', 'the value itself is not touched');
});
