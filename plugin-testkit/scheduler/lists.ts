import assert from 'node:assert/strict';
import type { ListOf, RequestDetail, SchedulerStrategy } from '../../core/index.ts';
import type { Checks } from '../runner.ts';
import { textOf } from './rendered.ts';
import { lists } from './list-situations.ts';

const placeOf = (n: number) => `place of an entry: 5f0c8a1e-${n}`;

/** Checks that a list consists of its entries, so that only changed entries of a long list are rendered again. */
export function checkLists({ check }: Checks, strategy: SchedulerStrategy): void {
  const around = ({ items, ...list }: ListOf<RequestDetail>, entries: readonly unknown[]) =>
    strategy.listed.around({ ...list, count: items.length }, entries);

  check('a rendered list equals `around` of its rendered entries', async () => {
    for (const [what, list] of Object.entries(lists))
      assert.deepEqual(
        strategy.listed.render(list),
        around(
          list,
          list.items.map((each) => strategy.listed.entry(each)),
        ),
        what,
      );
  });

  check('each entry is in a list once, unchanged and in the given order', async () => {
    for (const [what, list] of Object.entries(lists)) {
      const places = list.items.map((_, n) => placeOf(n));
      const text = textOf(around(list, places));
      let from = 0;
      for (const place of places) {
        const found = text.indexOf(place, from);
        assert.ok(found >= 0, `${what}: entry ${places.indexOf(place)} is missing or in the wrong position.`);
        from = found + place.length;
      }
      assert.equal(text.split(placeOf(0)).length - 1, Math.min(1, places.length), `${what}: an entry is repeated.`);
    }
  });
}
