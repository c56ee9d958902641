import assert from 'node:assert/strict';
import type { ListOf, RequestDetail, SchedulerStrategy } from '../../core/index.ts';
import type { Checks } from '../runner.ts';
import { textOf } from './rendered.ts';
import { lists } from './list-situations.ts';

const placeOf = (n: number) => `place of an entry: 5f0c8a1e-${n}`;

/** A list is made of its entries: of a long one only what changed is made anew. */
export function checkLists({ check }: Checks, strategy: SchedulerStrategy): void {
  const around = ({ items, ...list }: ListOf<RequestDetail>, entries: readonly unknown[]) =>
    strategy.listed.around({ ...list, count: items.length }, entries);

  check('a list is what stands around its entries', async () => {
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

  check('each entry stands in a list once, as it is given, and in the order given', async () => {
    for (const [what, list] of Object.entries(lists)) {
      const places = list.items.map((_, n) => placeOf(n));
      const text = textOf(around(list, places));
      let from = 0;
      for (const place of places) {
        const found = text.indexOf(place, from);
        assert.ok(found >= 0, `${what}: entry ${places.indexOf(place)} is not there, or not in its place.`);
        from = found + place.length;
      }
      assert.equal(
        text.split(placeOf(0)).length - 1,
        Math.min(1, places.length),
        `${what}: an entry stands there more than once.`,
      );
    }
  });
}
