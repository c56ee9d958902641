import test from 'ava';
import { prefixOf } from '../../../host/page/api/place.ts';

test('the script finds its broker where it was loaded from, also below a path of a gateway', (t) => {
  for (const [address, prefix] of [
    ['http://127.0.0.1:8000/ui/main-AB12.js', ''],
    ['https://farm.example/muster/ui/main-AB12.js', '/muster'],
    ['https://farm.example/a/ui/b/ui/main-AB12.js?x=/ui/', '/a/ui/b'],
    // Not bundled, as in a test.
    ['file:///somewhere/host/page/api/place.ts', ''],
  ] as const)
    t.is(prefixOf(address), prefix, address);
});
