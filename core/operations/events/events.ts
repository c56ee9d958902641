import { Type } from 'typebox';
import { BrokerError } from '../../contract/errors.ts';
import type { EventFilter } from '../../journal/event-filter.ts';
import { hint } from '../../schema/spelling.ts';
import { eventTypes } from '../../journal/event-types.ts';
import { operation } from '../operation.ts';
import { p } from '../parameters.ts';
import { EventView, eventView } from '../../journal/event-view.ts';

const types = Object.keys(eventTypes);
const defaultLimit = 100;

/** Why events may be missing before those of an answer. */
export const GapView = Type.Object({
  reason: Type.Enum(['removed', 'unknown'], {
    description:
      '`removed`: the retention removed some of the events behind `after`, up to `until`. `unknown`: this journal has no event `after`, and reading goes on behind `until`, its last one.',
  }),
  after: Type.Integer(),
  until: Type.Integer(),
});

/**
 * The filter of an input: `machine.*` stands for all types that begin so. Throws INVALID_REQUEST for a type of events
 * that there is not.
 */
export function eventFilter({ type, request_id, machine_id }: EventFilter): EventFilter {
  return {
    ...(type === undefined ? {} : { type: [...new Set(type.flatMap(typesNamed))] }),
    ...(request_id === undefined ? {} : { request_id }),
    ...(machine_id === undefined ? {} : { machine_id }),
  };
}

function typesNamed(name: string): readonly string[] {
  const found = name.endsWith('.*') ? types.filter((type) => type.startsWith(name.slice(0, -1))) : [name];
  if (found.length > 0 && found.every((type) => Object.hasOwn(eventTypes, type))) return found;
  throw new BrokerError('INVALID_REQUEST', `/type: there are no events of the type '${name}'${hint(name, types)}`);
}

export const listEvents = operation('ListEventsQuery', {
  summary: 'List the events of the journal, oldest first.',
  input: Type.Object(
    {
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          description:
            'Only events behind this `seq`; go on with `next` of the last answer. Absent: the latest events.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1000,
          default: defaultLimit,
          description: 'The maximum number of events.',
        }),
      ),
      type: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
          minItems: 1,
          maxItems: types.length,
          description:
            'Only events of these types, for example `request.failed`; `machine.*` means all that begin so.',
        }),
      ),
      request_id: Type.Optional({ ...p.request_id, description: 'Only events of this request or return.' }),
      machine_id: Type.Optional({
        ...p.machine_id,
        description: 'Only events of this machine; `instance/id` when machines of several instances have the same id.',
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    events: Type.Array(EventView),
    next: Type.Integer({
      description: 'The last `seq` that was seen, also when no event matched: `after` goes on here.',
    }),
    gap: Type.Optional(GapView),
  }),
  refusals: ['UNAVAILABLE'],
  rest: { method: 'GET', path: '/events/', limit: 'read' },
  cli: { command: 'events list', example: 'muster events list --request-id req-01a1b2c3' },
  async handle({ after, limit = defaultLimit, ...given }, { journal }) {
    const filter = eventFilter(given);
    const { events, next, gap } =
      after === undefined ? await journal.latest(filter, limit) : await journal.after(after, filter, limit);
    return { events: events.map(eventView), next, ...(gap ? { gap: { ...gap } } : {}) };
  },
});
