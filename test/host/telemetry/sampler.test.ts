import test from 'ava';
import { newTraceId } from '../../../host/telemetry/random-ids.ts';
import { samplerOf } from '../../../host/telemetry/sampler.ts';

const ids = Array.from({ length: 20_000 }, newTraceId);

test('a ratio samples its share, and a larger ratio samples what a smaller one does', (t) => {
  const [tenth, half] = [0.1, 0.5].map((ratio) => samplerOf({ ratio, parent_based: false }));
  const share = (sample = tenth) => ids.filter((id) => sample?.(id, undefined)).length / ids.length;
  t.true(Math.abs(share(tenth) - 0.1) < 0.02, String(share(tenth)));
  t.true(Math.abs(share(half) - 0.5) < 0.02, String(share(half)));
  t.true(ids.every((id) => !tenth?.(id, undefined) || half?.(id, undefined)));
});

test('a ratio of 0 samples nothing and one of 1 everything', (t) => {
  const [none, all] = [0, 1].map((ratio) => samplerOf({ ratio, parent_based: true }));
  for (const id of [...ids.slice(0, 100), 'f'.repeat(32), `${'0'.repeat(31)}1`]) {
    t.false(none?.(id, undefined));
    t.true(all?.(id, undefined));
  }
});

test('the decision of a caller counts where the sampler follows callers, and only there', (t) => {
  const id = newTraceId();
  t.true(samplerOf({ ratio: 0, parent_based: true })(id, true));
  t.false(samplerOf({ ratio: 1, parent_based: true })(id, false));
  t.false(samplerOf({ ratio: 0, parent_based: false })(id, true));
  t.true(samplerOf({ ratio: 1, parent_based: false })(id, false));
});
