import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OwnedResource } from '../../../core/index.ts';
import type { Attempt } from '../harness/attempt.ts';
import type { ProviderChecks } from '../check-list.ts';
import { notJson } from '../answers/not-json.ts';
import { delivered } from '../answers/outcome.ts';
import { wrongInReport } from '../answers/reports.ts';
import { assertSameIds } from '../answers/assert-same-ids.ts';
import { formatIds, formatValue } from '../answers/format.ts';
import type { ProviderHarness } from '../harness/provider-harness.ts';

/** Checks of the resources of an installation, which the sweep compares with the records. */
export function ownedChecks({ on, subject }: ProviderChecks): void {
  const { type, api } = subject;

  if (type.owned) {
    on('owned lists the resources of this installation with their orders, and none of another', async (harness) => {
      const ours = await harness.start();
      const ids = await harness.up(ours);
      const elsewhere = `other${randomUUID().replaceAll('-', '')}`;
      const foreign = await harness.connect(elsewhere);
      const theirs = await harness.launch(await harness.order({ installation: elsewhere }, foreign), foreign);
      const others = await harness.up(theirs, foreign);
      const whole = (list: readonly OwnedResource[], wanted: readonly string[]) =>
        wanted.every((id) => machinesIn(list).includes(id));
      const mine = await harness.time.until(
        () => owned(harness, harness.installation),
        (list) => whole(list, ids),
      );
      const yours = await harness.time.until(
        () => owned(harness, elsewhere, foreign),
        (list) => whole(list, others),
      );
      assertSameIds(
        machinesIn(mine),
        ids,
        'owned lists all machines of its installation and none of another.',
        'Listed',
      );
      assertSameIds(
        machinesIn(yours),
        others,
        'owned lists all machines of its installation and none of another.',
        'Listed for the other',
      );
      for (const each of mine.filter(({ kind }) => kind === 'machine')) {
        assert.equal(
          each.request_id,
          ours.order.request_id,
          `owned names the request of machine ${each.id}; seen: ${formatValue(each)}.`,
        );
        assert.equal(
          each.attempt,
          ours.order.attempt,
          `owned names the attempt of machine ${each.id}; seen: ${formatValue(each)}.`,
        );
      }
      assert.ok(
        mine.every((each) => each.request_id === undefined || each.request_id === ours.order.request_id),
        `Nothing else of this installation is there; listed: ${formatValue(mine)}.`,
      );
    });

    on('after everything is released and disposed of, owned lists nothing', async (harness) => {
      const attempt = await harness.start();
      await harness.up(attempt);
      await harness.releaseMachines(attempt);
      await harness.livingAfter(0);
      await harness.dispose(attempt.order, attempt.handle);
      const unsent = await harness.order();
      await harness.dispose(unsent);
      const left = await harness.time.until(
        () => owned(harness, harness.installation),
        (list) => list.every(isGone),
      );
      const still = left.filter((each) => !isGone(each)).map(({ kind, id }) => `${kind} ${id}`);
      assert.ok(still.length === 0, `What is disposed of is gone; owned still lists: ${formatIds(still)}.`);
    });
  }

  if (type.owned && type.remove)
    on('remove ends only what it is given, and may be repeated', async (harness) => {
      const [lost, kept] = [await harness.start(), await harness.start()];
      await harness.up(lost);
      const ids = await harness.up(kept);
      const orphans = (await owned(harness, harness.installation)).filter((each) => isOf(each, lost));
      const session = await harness.session();
      for (let times = 0; times < 2; times += 1) {
        const containers = orphans.filter(({ kind }) => kind === 'container');
        if (containers.length > 0)
          await delivered('remove of containers', async () => api.remove?.(session, containers, harness.call()));
        await delivered('remove', async () =>
          type.remove?.(
            session,
            orphans.filter(({ kind }) => kind !== 'container'),
            harness.call(),
          ),
        );
        assertSameIds(
          await harness.livingAfter(ids.length),
          ids,
          'The orphans were to go, and nothing else.',
          'Living',
        );
      }
      const left = await harness.time.until(
        async () => (await owned(harness, harness.installation)).filter((each) => isOf(each, lost) && !isGone(each)),
        (list) => list.length === 0,
      );
      assert.ok(left.length === 0, `What was removed is gone; owned still lists: ${formatValue(left)}.`);
      await delivered('remove of nothing', async () => type.remove?.(session, [], harness.call()));
    });

  if (type.whichLive)
    on('whichLive names the hosts that live, and no others', async (harness) => {
      const attempt = await harness.start();
      const [gone = '', ...others] = await harness.up(attempt);
      const name = (id: string) => attempt.machines.get(id)?.name ?? '';
      await harness.releaseMachines(attempt, [gone]);
      await harness.livingAfter(others.length);
      const session = await harness.session();
      const ask = (hosts: readonly { machine_id?: string; name?: string }[]) =>
        delivered('whichLive', async () => (await type.whichLive?.(session, hosts, harness.call())) ?? []);
      const byId = await ask([gone, ...others, `${gone}x`].map((machine_id) => ({ machine_id })));
      assertSameIds(
        byId.map(({ machine_id = '' }) => machine_id),
        others,
        `${gone} was released.`,
        'Said to live',
      );
      const byName = await ask([gone, ...others].map((id) => ({ name: name(id) })));
      assertSameIds(
        byName.map((each) => each.name ?? ''),
        others.map(name),
        `${name(gone)} was released; a host may be named by its name alone.`,
        'Said to live',
      );
      assert.equal((await ask([])).length, 0, 'Without hosts, whichLive must return an empty list.');
    });
}

const isOf = (each: OwnedResource, { order }: Attempt): boolean => each.request_id === order.request_id;
const isGone = ({ machine }: OwnedResource): boolean =>
  machine !== undefined && ['shutting-down', 'terminated'].includes(machine.status);

/** Pending and running machines. */
const machinesIn = (list: readonly OwnedResource[]): string[] =>
  list.filter((each) => each.kind === 'machine' && !isGone(each)).map(({ id }) => id);

/** All resources of an installation, from the type and from the API. */
async function owned(harness: ProviderHarness, installation: string, session?: unknown): Promise<OwnedResource[]> {
  const { type, api } = harness.subject;
  const on = session ?? (await harness.session());
  return delivered('owned', async () => {
    const list: OwnedResource[] = [];
    for await (const each of type.owned?.(on, installation, harness.call()) ?? []) list.push(each);
    for await (const each of api.owned?.(on, installation, harness.call()) ?? []) list.push(each);
    for (const each of list) {
      assert.ok(
        ['machine', 'container', 'launch_template'].includes(each.kind),
        `owned: kind must be machine, container or launch_template; seen: ${formatValue(each)}.`,
      );
      assert.ok(
        typeof each.id === 'string' && each.id !== '',
        `owned: each thing has an id; seen: ${formatValue(each)}.`,
      );
      const wrong = each.machine ? wrongInReport(each.machine) : [];
      assert.ok(wrong.length === 0, `owned, machine ${each.id}: ${wrong.join('; ')}.`);
      assert.ok(
        each.kind !== 'machine' || each.machine,
        `owned: a machine comes with its report, as observe would give it; seen: ${formatValue(each)}.`,
      );
      const unstorable = notJson(each, 'the entry');
      assert.ok(unstorable === undefined, `owned: ${unstorable}.`);
    }
    return list;
  });
}
