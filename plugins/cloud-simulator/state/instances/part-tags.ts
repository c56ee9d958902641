import type { RegionState } from '../call-context.ts';
import type { Tags } from '../tags.ts';
import { type Instance, volumeId } from './instance.ts';

/** A thing that exists with a machine and has an id and tags of its own. */
export interface MachinePart {
  readonly id: string;
  readonly kind: 'volume' | 'network-interface' | 'spot-instances-request';
  readonly tags: Tags;
}

/** The parts of a machine: its volumes and its interface, unless it is terminated, and its Spot request. */
export function partsOf(state: RegionState, instance: Instance, connected: boolean): readonly MachinePart[] {
  const { volumes } = instance.reservation.spec;
  return [
    ...(connected
      ? [
          ...volumes.map((_, index): MachinePart => {
            const tags = volumeTagsOf(state, instance, index);
            return { id: volumeId(instance, index), kind: 'volume', tags };
          }),
          { id: interfaceId(instance), kind: 'network-interface', tags: interfaceTagsOf(state, instance) } as const,
        ]
      : []),
    ...(instance.spotRequestId === undefined
      ? []
      : [
          {
            id: instance.spotRequestId,
            kind: 'spot-instances-request',
            tags: requestTagsOf(state, instance),
          } as const,
        ]),
  ];
}

export function volumeTagsOf(state: RegionState, instance: Instance, index: number): Tags {
  return state.partTags.get(volumeId(instance, index)) ?? instance.reservation.spec.volumeTags;
}

export function interfaceTagsOf(state: RegionState, instance: Instance): Tags {
  return state.partTags.get(interfaceId(instance)) ?? instance.reservation.spec.interfaceTags;
}

/** Tags of the Spot request of a machine. */
export function requestTagsOf(state: RegionState, instance: Instance): Tags {
  return state.partTags.get(instance.spotRequestId ?? '') ?? instance.reservation.spec.requestTags;
}

/** The id of the interface of a machine: it ends like the id of the machine. */
export function interfaceId(instance: Instance): string {
  return `eni-${instance.id.slice(2)}`;
}

/** The machine to which a volume or an interface belongs; undefined if there is none. */
export function machineOfPart(state: RegionState, id: string): Instance | undefined {
  const suffix = id.slice(id.indexOf('-') + 1);
  // The first digit of a volume is its place in the list of volumes; that of every machine is 0.
  const instance = state.instances.get(`i-0${suffix.slice(1)}`);
  return instance !== undefined && partsOf(state, instance, true).some((one) => one.id === id) ? instance : undefined;
}

/** Forgets the tags that callers gave to the parts of a machine. */
export function forgetParts(state: RegionState, instance: Instance): void {
  if (state.partTags.size === 0) return;
  for (const { id } of partsOf(state, instance, true)) state.partTags.delete(id);
}
