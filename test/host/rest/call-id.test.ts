import test from 'ava';
import { newCallId } from '../../../host/rest/call/call-id.ts';

test('ids of calls look like a UUID, differ from each other, and from those of another process in their front', (t) => {
  const ids = Array.from({ length: 1_000 }, newCallId);
  for (const id of ids) t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.is(new Set(ids).size, ids.length);
  t.is(new Set(ids.map((id) => id.slice(0, -8))).size, 1);
});
