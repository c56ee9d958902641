import { Type } from 'typebox';
import { eventTypes, type EventType } from '../../journal/event-types.ts';
import { operation } from '../operation.ts';
import { p } from '../parameters.ts';
import { EventView, eventView } from '../../journal/event-view.ts';

const types = Object.keys(eventTypes) as [EventType, ...EventType[]];
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

export const listEvents = operation('ListEventsQuery', {
  summary: 'List what happened: the events of the journal, oldest first.',
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
        Type.Array(Type.Enum(types), {
          minItems: 1,
          maxItems: types.length,
          description: 'Only events of these types.',
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
  rest: { method: 'GET', path: '/events/', limit: 'read' },
  cli: { command: 'events list', example: 'muster events list --request-id req-01a1b2c3' },
  async handle({ after, limit = defaultLimit, ...filter }, { journal }) {
    const { events, next, gap } =
      after === undefined ? await journal.latest(filter, limit) : await journal.after(after, filter, limit);
    return { events: events.map(eventView), next, ...(gap ? { gap: { ...gap } } : {}) };
  },
});
