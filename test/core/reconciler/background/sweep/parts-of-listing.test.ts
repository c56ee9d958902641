import test from 'ava';
import fc from 'fast-check';
import { partsOfListing } from '../../../../../core/reconciler/background/sweep/parts-of-listing.ts';

test('each resource of a listing is in one part, beside all others of its request', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ size: fc.integer({ min: 1, max: 1_200 }), own: fc.boolean() }), { maxLength: 8 }),
      (requests) => {
        // The resources of all requests alternate, as the cloud may list them.
        const listed = requests
          .flatMap(({ size, own }, at) =>
            Array.from({ length: size }, (_, index) => ({
              kind: 'machine' as const,
              id: `i-${at}-${index}`,
              ...(own ? { request_id: `req-${at}` } : {}),
            })),
          )
          .toSorted((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1));
        const parts = [...partsOfListing(listed)];
        t.deepEqual(
          parts
            .flat()
            .map(({ id }) => id)
            .toSorted(),
          listed.map(({ id }) => id).toSorted(),
        );
        const ids = parts.map((part) => new Set(part.map(({ request_id }) => request_id)));
        for (const request_id of new Set(listed.map((each) => ('request_id' in each ? each.request_id : undefined))))
          t.is(ids.filter((part) => part.has(request_id)).length, 1);
        for (const [at, part] of parts.entries()) {
          if (at < parts.length - 1) t.true(part.length >= 1_000);
          const groups = [...Map.groupBy(part, ({ request_id }) => request_id).values()];
          t.true(part.length - (groups.at(-1)?.length ?? 0) < 1_000, 'no more than the last request needs');
        }
      },
    ),
    { numRuns: 30 },
  );
});
