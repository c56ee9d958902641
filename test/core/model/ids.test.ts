import test from 'ava';
import { attemptToken, jsonFingerprint, newRequestId, newReturnId } from '../../../core/model/ids.ts';

test('the token of an attempt is the same after a restart, new for another attempt, request or installation', (t) => {
  const token = attemptToken('install', 'req-1', 1);
  t.is(attemptToken('install', 'req-1', 1), token);
  t.is(
    new Set([
      token,
      attemptToken('install', 'req-1', 2),
      attemptToken('install', 'req-2', 1),
      attemptToken('other', 'req-1', 1),
    ]).size,
    4,
  );
});

test('every token fits the limits of clouds: at most 64 characters of [a-z0-9]', (t) => {
  for (let i = 0; i < 500; i++) t.regex(attemptToken('install', `req-${i}`, i), /^[a-z0-9]{52}$/);
});

test('ids distinguish requests from returns and sort by time', (t) => {
  t.regex(newRequestId(), /^req-[0-9a-f-]{36}$/);
  t.regex(newReturnId(), /^ret-[0-9a-f-]{36}$/);
});

test('a fingerprint does not depend on the order of keys, and depends on everything else', (t) => {
  t.is(jsonFingerprint({ a: 1, b: { c: [1, 2], d: null } }), jsonFingerprint({ b: { d: null, c: [1, 2] }, a: 1 }));
  t.not(jsonFingerprint({ a: 1 }), jsonFingerprint({ a: '1' }));
  t.not(jsonFingerprint([1, 2]), jsonFingerprint([2, 1]));
});
