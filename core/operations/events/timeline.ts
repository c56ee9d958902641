import { Type } from 'typebox';
import { milestoneNames, type Milestones } from '../../journal/timeline.ts';
import { isoTime } from '../../schema/iso-time.ts';
import { operation } from '../operation.ts';
import { p } from '../parameters.ts';
import { EventView, eventView } from '../../journal/event-view.ts';

const stages: Readonly<Record<keyof Milestones, string>> = {
  accepted: 'The request was stored.',
  selected: 'The first order was made for a provider instance.',
  ordered: 'The provider accepted an order.',
  first_machine: 'The first machine was ready.',
  all_ready: 'As many machines were ready as were requested.',
  returned: 'The last machine was gone; of a return: it ended.',
};

const [, ...later] = milestoneNames;
const moment = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });
const span = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

export const getRequestTimeline = operation('GetRequestTimelineQuery', {
  summary: 'Show when a request reached each stage, and its events. null: not reached.',
  input: Type.Object({ request_id: p.request_id }, { additionalProperties: false }),
  output: Type.Object({
    request_id: Type.String(),
    milestones: Type.Object({
      accepted: moment(stages.accepted),
      selected: moment(stages.selected),
      ordered: moment(stages.ordered),
      first_machine: moment(stages.first_machine),
      all_ready: moment(stages.all_ready),
      returned: moment(stages.returned),
    }),
    durations_ms: Type.Object(
      {
        selected: span('Until `selected`.'),
        ordered: span('Until `ordered`.'),
        first_machine: span('Until `first_machine`.'),
        all_ready: span('Until `all_ready`.'),
        returned: span('Until `returned`.'),
      },
      { description: 'Milliseconds since the request was accepted.' },
    ),
    events: Type.Array(EventView, { description: 'The events of the request, oldest first: the first 1000.' }),
    more: Type.Optional(Type.Boolean({ description: 'The request has more events; list_events shows them.' })),
  }),
  refusals: ['REQUEST_NOT_FOUND'],
  rest: { method: 'GET', path: '/requests/{request_id}/timeline', limit: 'read' },
  cli: {
    command: 'requests timeline',
    args: ['request_id'],
    example: 'muster requests timeline req-01a1b2c3',
  },
  async handle({ request_id }, { timelines }) {
    const { milestones, events, more } = await timelines.of(request_id);
    return {
      request_id,
      milestones: forEach(milestoneNames, (name) => timeOf(milestones[name])),
      durations_ms: forEach(later, (name) => since(milestones, name)),
      events: events.map(eventView),
      ...(more ? { more } : {}),
    };
  },
});

const forEach = <N extends string, T>(names: readonly N[], value: (name: N) => T): Record<N, T> =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<N, T>;

const timeOf = (at: number | null): string | null => (at === null ? null : isoTime(at));

function since(milestones: Milestones, name: keyof Milestones): number | null {
  const at = milestones[name];
  return at === null ? null : Math.max(0, at - (milestones.accepted ?? at));
}
