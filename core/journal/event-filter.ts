import type { EventRecord } from '../model/records.ts';

/** Which events a reader gets. All given conditions must hold. */
export interface EventFilter {
  /** Events of one of these types. */
  readonly type?: readonly string[];
  readonly request_id?: string;
  /** A machine id, or `instance/id`. */
  readonly machine_id?: string;
}

/** Whether a filter leaves every event. */
export const isOpen = ({ type, request_id, machine_id }: EventFilter): boolean =>
  type === undefined && request_id === undefined && machine_id === undefined;

/** Returns the function that tells whether a filter leaves an event. */
export function matching({ type, request_id, machine_id }: EventFilter): (event: EventRecord) => boolean {
  const types = type && new Set(type);
  const isMachine = machine_id === undefined ? () => true : ofMachine(machine_id);
  return (event) =>
    (!types || types.has(event.type)) &&
    (request_id === undefined || event.request_id === request_id) &&
    isMachine(event);
}

/** The ids that a name of a machine may stand for: names of instances contain no slash, ids may. */
export function idsNamed(
  name: string,
): readonly { readonly machine_id: string; readonly provider_instance?: string }[] {
  const slash = name.indexOf('/');
  const key = { provider_instance: name.slice(0, slash), machine_id: name.slice(slash + 1) };
  return [{ machine_id: name }, ...(slash > 0 ? [key] : [])];
}

function ofMachine(name: string): (event: EventRecord) => boolean {
  const named = idsNamed(name);
  return ({ machine_id, provider_instance, data }) => {
    const several = data['machine_ids'];
    return named.some(
      (one) =>
        (one.provider_instance === undefined || one.provider_instance === provider_instance) &&
        (machine_id === one.machine_id || (Array.isArray(several) && several.includes(one.machine_id))),
    );
  };
}
