import { Type, type Static } from 'typebox';
import { Cost, MachineCost } from '../model/cost/cost.ts';
import { marketWords } from '../model/market.ts';
import { ProviderSelection } from '../model/request.ts';
import { Fulfilment } from '../model/shortfall.ts';
import { CommonTemplate, type Template } from '../model/template.ts';
import type { SourceInfo } from '../templates/layers.ts';

/**
 * The default answers. The scheduler strategy `default` renders these shapes, and programs that embed or call muster
 * use them as types.
 */

const nullable = () => Type.Union([Type.String(), Type.Null()]);
const moment = () => Type.String({ format: 'date-time' });
const optional = () => Type.Optional(Type.String());

/** The present state of a machine of a request. */
export const MachineAnswer = Type.Object({
  machine_id: Type.String(),
  status: Type.String(),
  name: nullable(),
  assigned_name: Type.Optional(Type.String({ description: 'The name of the request that the machine has.' })),
  private_ip: nullable(),
  public_ip: nullable(),
  provider_instance: Type.String(),
  machine_type: nullable(),
  market: Type.Union([Type.Enum([...marketWords]), Type.Null()]),
  zone: nullable(),
  cost: Type.Optional(Type.Union([MachineCost, Type.Null()])),
  created_at: moment(),
  launched_at: optional(),
  reclaim_at: optional(),
  rebalance_at: Type.Optional(
    Type.String({ description: 'When the provider recommended to replace the machine. ISO 8601.' }),
  ),
  replaced_by: Type.Optional(Type.String({ description: 'The machine that took the place of this one.' })),
  release_at: Type.Optional(
    Type.String({ description: 'When a replaced machine ends that is not returned before. ISO 8601.' }),
  ),
  replaces: Type.Optional(Type.String({ description: 'The machine whose place this one takes.' })),
  expires_at: Type.Optional(Type.String({ description: 'When the lease of the machine ends. ISO 8601.' })),
  held_until: Type.Optional(Type.String({ description: 'Until when a caller holds the machine. ISO 8601.' })),
  hold_reason: Type.Optional(Type.String({ description: 'Why a caller holds the machine.' })),
  return_id: optional(),
  message: optional(),
});
export type MachineAnswer = Static<typeof MachineAnswer>;

/** The present state of a request or of a return. */
export const RequestAnswer = Type.Object({
  request_id: Type.String(),
  template_id: nullable(),
  machine_count: Type.Integer(),
  requested_count: Type.Integer(),
  names: Type.Optional(
    Type.Array(Type.String(), { description: 'Only where the caller gave names: one for each machine.' }),
  ),
  status: Type.String(),
  provider_type: nullable(),
  provider_instance: nullable(),
  provider_selection: Type.Optional(ProviderSelection),
  machine_ids: Type.Optional(
    Type.Array(Type.String(), { description: 'Only of a return: the machines that the caller returned.' }),
  ),
  machines: Type.Optional(Type.Array(MachineAnswer)),
  fulfilment: Type.Union([Fulfilment, Type.Null()]),
  /** Only in the status of a request for machines. */
  cost: Type.Optional(Cost),
  additional_data: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'The `additional_data` of the request, unchanged.' }),
  ),
  message: Type.String(),
  created_at: moment(),
  deadline_at: Type.String({
    format: 'date-time',
    description: 'When the request stops waiting for machines, or would have stopped.',
  }),
  observed_at: Type.Optional(
    Type.String({
      description:
        'Only in the status of an open request: when the provider last answered for its machines. ISO 8601.',
    }),
  ),
  completed_at: Type.Union([moment(), Type.Null()]),
});
export type RequestAnswer = Static<typeof RequestAnswer>;

/** The answer to a request for machines. */
export const RequestedAnswer = Type.Object({
  request_id: Type.String(),
  template_id: nullable(),
  machine_count: Type.Integer(),
  status: Type.String(),
  message: Type.String(),
});

/** The answer to a return of machines. */
export const ReturnedAnswer = Type.Object({
  request_id: Type.String(),
  status: Type.String(),
  machine_ids: Type.Array(Type.String()),
  message: Type.String(),
});

const nextOffset = Type.Optional(
  Type.Integer({
    description:
      'Only present when the answer was cut because of its size: the `offset` of the first entry that is not in the answer.',
  }),
);

export const RequestListAnswer = Type.Object({
  requests: Type.Array(RequestAnswer),
  count: Type.Integer(),
  total_count: Type.Integer(),
  not_found: Type.Optional(
    Type.Array(Type.String(), { description: 'When requests are named by id: the ids that do not exist.' }),
  ),
  next_offset: nextOffset,
});

/** A template with the fields of all loaded plugins. `source_info` is present when the caller asks for it. */
export const TemplateAnswer = Type.Unsafe<Template & { readonly source_info?: SourceInfo }>(CommonTemplate);

/** A page of templates. `total` and `filters` are present when the caller gives a filter. */
export const TemplateListAnswer = Type.Object({
  templates: Type.Array(TemplateAnswer),
  total_count: Type.Integer(),
  count: Type.Integer(),
  message: Type.String(),
  success: Type.Boolean(),
  timestamp: moment(),
  next_offset: nextOffset,
  total: Type.Optional(Type.Integer()),
  filters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

export const ReclaimsAnswer = Type.Object({
  machines: Type.Array(
    Type.Object({
      machine_id: Type.String(),
      name: nullable(),
      reason: Type.String(),
      grace_period_s: Type.Integer(),
    }),
  ),
});

/** The shape of each view of the scheduler strategy `default`. */
export const answers = {
  requested: RequestedAnswer,
  returned: ReturnedAnswer,
  status: RequestAnswer,
  listed: RequestListAnswer,
  templates: TemplateListAnswer,
  reclaims: ReclaimsAnswer,
};
export type Answers = { readonly [V in keyof typeof answers]: Static<(typeof answers)[V]> };
