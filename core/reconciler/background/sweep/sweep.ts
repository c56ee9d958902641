import { newEvent } from '../../../contract/commits/new-event.ts';
import { chunks } from '../../../collections/chunks.ts';
import { isFault } from '../../../contract/fault.ts';
import type { ProviderInstance } from '../../../model/provider-instance.ts';
import type { OwnedResource } from '../../../contract/provider/resources.ts';
import type { Connected } from '../../../providers/guard/session-pool.ts';
import type { Change, Fence } from '../../../contract/storage.ts';
import {
  endOrphanTopic,
  keyOfOrphan,
  orphansTopic,
  sweptTopic,
  type FoundOrphans,
} from '../../../providers/orphans/orphan.ts';
import { type StrayMachines, compare, type StoredResources } from './compare.ts';
import { orphanReason } from './orphan-reason.ts';
import { foundSignal } from './found-signal.ts';
import { partsOfListing } from './parts-of-listing.ts';
import { readStoredResources } from './read-stored-resources.ts';
import type { BackgroundParts } from '../background-parts.ts';
import { Job } from '../job.ts';

/** An orphan is reported at its second sighting in a row, and ended from the third on, where that is configured. */
const tellAfter = 2;
const endAfter = 3;
/** The largest part of a listing that one sweep ends. A larger part indicates an error of the sweep itself. */
const mostShare = 0.05;
const mostAlways = 5;

export interface SweepParts extends BackgroundParts {
  readonly installation: string;
}

/** The interval of looks for what is due, as a share of `sweep_ms`. */
const looks = 20;

/**
 * Compares all resources with the tags of this installation with the store: every `sweep_ms`, one instance after the
 * other. The interval is that of the store: one broker does it for all, and a restart does not repeat it. Machines
 * that their request no longer tracks are passed to it by a signal. Orphans are reported. They are only ended where
 * the instance has `sweep: terminate`, after several sightings in a row, and only a small part at once. A failed
 * listing has no effect.
 */
export class Sweep {
  readonly #parts: SweepParts;
  readonly #orphanCounts = new Map<string, OrphanCounts>();
  /** By instance: the monotonic time of the next look whether it is due. */
  readonly #dueAt = new Map<string, number>();
  /** By cloud. */
  readonly #jobs = new Map<string, Job>();
  #next = 0;
  #running: Promise<void> | undefined;

  constructor(parts: SweepParts) {
    this.#parts = parts;
    this.#next = parts.clock.monotonic() + parts.settings.sweep_first_ms;
  }

  /** Starts a sweep when one is due and none is running. Does not wait for it. */
  begin(instances: readonly ProviderInstance[]): void {
    const { clock, settings } = this.#parts;
    if (this.#running || clock.monotonic() < this.#next) return;
    this.#next = clock.monotonic() + settings.sweep_ms / looks;
    this.#running = this.#sweepAll(instances).finally(() => (this.#running = undefined));
  }

  /** Resolves when no sweep is running. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #sweepAll(instances: readonly ProviderInstance[]): Promise<void> {
    const done = new Set<string>();
    for (const instance of instances) {
      if (instance.sweep === 'off' || this.#parts.signal.aborted) continue;
      if (!this.#isDue(instance.name) && this.#asked(instance.name).size === 0) continue;
      try {
        // An instance without orders has no resources of muster, so an idle broker does not connect to the cloud.
        const ordered = await this.#parts.store.find('attempt', {
          where: { provider_instance: instance.name },
          limit: 1,
        });
        if (ordered.length === 0 && this.#parts.facts.get('ordered', instance.name) === undefined) continue;
        await this.#remember(instance.name);
        const connected = await this.#parts.pool.connect(instance.name);
        // Two instances may speak to the same cloud, and each would list the machines of the other.
        if (connected.type.owned === undefined || done.has(connected.identity)) continue;
        done.add(connected.identity);
        await this.#sweepInTurn(instance, connected);
      } catch (error) {
        if (!this.#parts.signal.aborted)
          this.#parts.log.warn(
            { provider_instance: instance.name, err: isFault(error) ? undefined : error },
            `The sweep failed: ${textOf(error)}`,
          );
      }
    }
  }

  /** Whether it is time to look at an instance. Reads the store once in an interval. */
  #isDue(name: string): boolean {
    const { clock, settings } = this.#parts;
    const now = clock.monotonic();
    if (now < (this.#dueAt.get(name) ?? -Infinity)) return false;
    this.#dueAt.set(name, now + settings.sweep_ms);
    return true;
  }

  /** Sweeps unless any broker did it within the interval, or another one has the job. */
  async #sweepInTurn(instance: ProviderInstance, connected: Connected): Promise<void> {
    const { store, clock, settings } = this.#parts;
    const { identity } = connected;
    const began = clock.now();
    const last = await store.get('fact', { topic: sweptTopic, name: identity, item: '' });
    const isNow = last === undefined || last.at > began || this.#asked(instance.name).size > 0;
    const wait = isNow ? 0 : last.at + settings.sweep_ms - began;
    if (wait > 0) return this.#lookAfter(instance.name, wait);
    const job = this.#jobs.get(identity) ?? new Job(`sweep of '${identity}'`, this.#parts);
    this.#jobs.set(identity, job);
    const fence = await job.take();
    if (!fence) return this.#lookAfter(instance.name, settings.sweep_ms / looks);
    await this.#sweep(instance, connected, fence);
    const record = { topic: sweptTopic, name: identity, item: '', value: instance.name, at: began };
    await this.#commit(fence, [{ op: 'put', kind: 'fact', record }]);
  }

  #lookAfter(name: string, ms: number): void {
    this.#dueAt.set(name, this.#parts.clock.monotonic() + ms);
  }

  /** Stores that the instance had orders, because the records of attempts are removed later. */
  async #remember(name: string): Promise<void> {
    const { clock, facts } = this.#parts;
    if (facts.get('ordered', name) === undefined)
      await facts.learn([{ topic: 'ordered', name, item: '', value: true, at: clock.now() }]);
  }

  async #sweep(instance: ProviderInstance, connected: Connected, fence: Fence): Promise<void> {
    const { store, clock, settings, signal, installation } = this.#parts;
    const listed = (await connected.type.owned?.(installation, { signal })) ?? [];
    // An empty list proves nothing about machines. It only clears the stored orphans.
    if (listed.length === 0) return this.#note(instance.name, [], fence, new Map());
    const finds: StoredResources['finds'] = ({ api }) => connected.api(api)?.find !== undefined;
    const orphans: OwnedResource[] = [];
    const reasons = new Map<string, string>();
    for (const part of partsOfListing(listed)) {
      const known = await readStoredResources(store, part, finds);
      const compared = compare(part, known, clock.now(), settings.sweep_grace_ms);
      for (const each of compared.astray) await this.#handOver(each, fence);
      for (const orphan of compared.orphans) {
        orphans.push(orphan);
        reasons.set(keyOfOrphan(orphan), orphanReason(orphan, known));
      }
    }
    const orphanCounts = this.#orphanCounts.get(connected.identity) ?? new OrphanCounts();
    this.#orphanCounts.set(connected.identity, orphanCounts);
    const counted = orphanCounts.count(orphans);
    await this.#note(instance.name, orphans, fence, reasons);
    await this.#tell(
      instance,
      counted.filter(({ times }) => times === tellAfter).map(({ orphan }) => orphan),
      fence,
    );
    const asked = this.#asked(instance.name);
    await this.#end(
      instance,
      connected,
      orphans.filter((orphan) => asked.has(keyOfOrphan(orphan))),
      fence,
    );
    if (instance.sweep === 'terminate') {
      const overdue = counted.filter(({ times }) => times >= endAfter).map(({ orphan }) => orphan);
      await this.#end(
        instance,
        connected,
        overdue,
        fence,
        Math.max(mostAlways, Math.floor(listed.length * mostShare)),
      );
    }
  }

  /** The orphans of an instance that a caller asked to end. They need no further sightings. */
  #asked(name: string): ReadonlySet<string> {
    const wishes = this.#parts.facts.ofTopic(endOrphanTopic).filter((fact) => fact.name === name);
    return new Set(wishes.map(({ item }) => item));
  }

  /** Stores the orphans for all processes. */
  async #note(
    name: string,
    orphans: readonly OwnedResource[],
    fence: Fence,
    reasons: ReadonlyMap<string, string>,
  ): Promise<void> {
    const { clock, facts } = this.#parts;
    const before = facts.get(orphansTopic, name);
    if (orphans.length === 0 && before === undefined) return;
    const now = clock.now();
    const seen = new Map(
      (before?.value as FoundOrphans | undefined)?.orphans?.map((orphan) => [keyOfOrphan(orphan), orphan.first_seen]),
    );
    const value: FoundOrphans = {
      count: orphans.length,
      orphans: orphans.slice(0, mostNoted).map(({ machine: _machine, ...orphan }) => ({
        ...orphan,
        first_seen: seen.get(keyOfOrphan(orphan)) ?? now,
        reason: reasons.get(keyOfOrphan(orphan)) ?? '',
      })),
    };
    const found = { topic: orphansTopic, name, item: '', value, at: now };
    await facts.learn([found], (changes) => this.#commit(fence, changes));
  }

  async #handOver(astray: StrayMachines, fence: Fence): Promise<void> {
    const { clock, log } = this.#parts;
    const { request_id, attempt, machines } = astray;
    log.warn(
      { request_id, attempt, machine_ids: machines.map(({ machine_id }) => machine_id) },
      'Found machines that their request no longer tracked.',
    );
    await this.#commit(fence, [foundSignal(astray, clock.now())]);
  }

  async #tell({ name }: ProviderInstance, orphans: readonly OwnedResource[], fence: Fence): Promise<void> {
    const { clock, log } = this.#parts;
    if (orphans.length === 0) return;
    const changes = orphans.map(({ machine: _machine, ...what }) => {
      log.warn(
        { provider_instance: name, ...what },
        'Found a resource with the tags of this installation that no request knows.',
      );
      const machine = what.kind === 'machine' ? { machine_ids: [what.id] } : {};
      return newEvent(clock.now(), 'orphan.found', { provider_instance: name, ...what, ...machine });
    });
    for (const part of chunks(changes, 100)) await this.#commit(fence, part);
  }

  async #end(
    { name }: ProviderInstance,
    { type }: Connected,
    orphans: readonly OwnedResource[],
    fence: Fence,
    most = orphans.length,
  ): Promise<void> {
    const { clock, log, signal } = this.#parts;
    // Containers come first, because they would replace machines that are ended.
    const removable = orphans
      .filter((orphan) => type.removable(orphan))
      .toSorted((a, b) => Number(isContainer(b)) - Number(isContainer(a)));
    if (removable.length === 0) return;
    const some = removable.slice(0, most);
    // Another broker may have taken the job over meanwhile, and judges by sightings of its own.
    await this.#commit(fence, []);
    await type.remove(some, { signal });
    const ids = some.map(({ id }) => id);
    log.warn({ provider_instance: name, ids }, 'Orphans were ended.');
    const wishes = some.map((orphan) => ({ topic: endOrphanTopic, name, item: keyOfOrphan(orphan) }));
    await this.#commit(fence, [
      newEvent(clock.now(), 'orphan.ended', { provider_instance: name, ids }),
      ...wishes.map((key): Change => ({ op: 'delete', kind: 'fact', key })),
    ]);
  }

  /** Commits while this broker has the job. */
  #commit(fence: Fence, changes: readonly Change[]): Promise<void> {
    return this.#parts.store.commit([fence, ...changes]);
  }
}

/** How many orphans of an instance are stored for callers. */
const mostNoted = 200;

const isContainer = ({ kind }: OwnedResource): boolean => kind === 'container';

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * How often in a row each orphan was seen. An orphan that was missing once starts again at one. Kept in memory, for
 * one cloud.
 */
export class OrphanCounts {
  #seen = new Map<string, number>();

  /** Counts the orphans of a successful sweep. Returns each with its number of sightings in a row. */
  count(orphans: readonly OwnedResource[]): readonly { readonly orphan: OwnedResource; readonly times: number }[] {
    const counted = orphans.map((orphan) => ({ orphan, times: (this.#seen.get(keyOf(orphan)) ?? 0) + 1 }));
    this.#seen = new Map(counted.map(({ orphan, times }) => [keyOf(orphan), times]));
    return counted;
  }
}

const keyOf = ({ kind, id }: OwnedResource): string => `${kind} ${id}`;
