import { Type, type Static } from 'typebox';
import { searchStates, type KnownOrphan } from '../../providers/orphans/orphans.ts';
import { isoTime } from '../../schema/iso-time.ts';
import { operation } from '../operation.ts';
import { p } from '../parameters.ts';

const nullable = () => Type.Union([Type.String(), Type.Null()]);

const OrphanView = Type.Object({
  provider_instance: Type.String(),
  kind: Type.Enum(['machine', 'container', 'launch_template'], {
    description: '`container`: a fleet or a group, which may start machines.',
  }),
  id: Type.String(),
  request_id: nullable(),
  attempt: Type.Union([Type.Integer(), Type.Null()]),
  created_at: nullable(),
  first_seen_at: Type.String({ format: 'date-time' }),
  last_seen_at: Type.String({ format: 'date-time' }),
  reason: Type.String({ description: 'Why nothing that is stored can release it.' }),
  ending: Type.Boolean({ description: 'A caller asked to end it; the next discovery does.' }),
});

const SearchView = Type.Object({
  provider_instance: Type.String(),
  state: Type.Enum([...searchStates], {
    description:
      '`searched`: since the brokers started. `not_yet`: not since then; an instance is searched after its first order. `off`: its `sweep` is off. `not_possible`: its provider cannot list what it made.',
  }),
  searched_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When its cloud was searched last, also before the brokers started. Null: never.',
  }),
});

export const listOrphans = operation('ListOrphansQuery', {
  summary:
    'List the resources with the tags of this installation that no request knows, as the last search of each cloud found them, and when that was. A search leaves out resources that are younger than 10 minutes.',
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({
    orphans: Type.Array(OrphanView),
    count: Type.Integer(),
    searches: Type.Array(SearchView, { description: 'Each configured instance: whether its cloud was searched.' }),
  }),
  rest: { method: 'GET', path: '/providers/orphans', limit: 'provider', errors: 'error' },
  cli: { command: 'providers orphans', example: 'muster providers orphans' },
  async handle(_input, { orphans }) {
    const found = orphans.list().map(viewOf);
    const searches = orphans.searches().map(({ searched, ...search }) => ({
      ...search,
      searched_at: searched === undefined ? null : isoTime(searched),
    }));
    return { orphans: found, count: found.length, searches };
  },
});

export const endOrphans = operation('EndOrphansCommand', {
  summary:
    'End orphans of an instance. Discovery looks again within a minute, and ends those of them that are still orphans. Ids that are no orphans are in `not_found`.',
  input: Type.Object(
    {
      provider_instance: { ...p.of_instance, description: 'The provider instance of the orphans.' },
      ids: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        minItems: 1,
        maxItems: 200,
        description: 'Ids of orphans, as list_orphans shows them.',
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    orphans: Type.Array(OrphanView),
    count: Type.Integer(),
    not_found: Type.Array(Type.String()),
  }),
  refusals: ['PROVIDER_NOT_FOUND'],
  rest: { method: 'POST', path: '/providers/orphans/end', limit: 'provider', errors: 'error', status: 202 },
  cli: {
    command: 'providers end-orphans',
    args: ['provider_instance', 'ids'],
    example: 'muster providers end-orphans east i-09227c8720e055176',
  },
  destructive: true,
  repeatable: true,
  leaves_work: true,
  async handle({ provider_instance, ids }, { orphans, providers }) {
    const { name } = providers.require(provider_instance);
    const asked = (await orphans.end(name, ids)).map(viewOf);
    const found = new Set(asked.map(({ id }) => id));
    return { orphans: asked, count: asked.length, not_found: ids.filter((id) => !found.has(id)) };
  },
});

function viewOf(orphan: KnownOrphan): Static<typeof OrphanView> {
  const { provider_instance, kind, id, request_id, attempt, created_at, first_seen, last_seen, reason, ending } =
    orphan;
  return {
    provider_instance,
    kind,
    id,
    request_id: request_id ?? null,
    attempt: attempt ?? null,
    created_at: created_at ?? null,
    first_seen_at: isoTime(first_seen),
    last_seen_at: isoTime(last_seen),
    reason,
    ending,
  };
}
