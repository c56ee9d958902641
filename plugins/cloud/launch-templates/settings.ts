import { Type } from 'typebox';

const flag = (fallback: boolean, description: string) =>
  Type.Optional(Type.Boolean({ default: fallback, description }));

/** How launch templates of fleets and groups are created. */
export const LaunchTemplates = Type.Object(
  {
    create_per_request: flag(
      true,
      'Standing fleets, Spot fleets and groups can tag their machines through a launch template only, so each order has its own contents: as its own launch template, or, with `false`, as a version of one launch template that all orders of a template share. Either is deleted with the order.',
    ),
    naming_strategy: Type.Optional(
      Type.Enum(['request_based', 'template_based'], {
        default: 'request_based',
        description:
          'How the name of a launch template begins: with its request and attempt (`request_based`), or with the template (`template_based`). The name ends with a hash, so that names are unique. A launch template with versions for all orders of a template is always named after the template.',
      }),
    ),
    version_strategy: Type.Optional(
      Type.Enum(['incremental', 'separate'], {
        default: 'incremental',
        description:
          'Where changed shared contents go. `incremental`: into a new version of the one launch template of the template. `separate`: into a separate launch template, which templates with equal contents share.',
      }),
    ),
    reuse_existing: flag(
      true,
      'Orders of instant fleets, whose machines are tagged in the call, share one version for equal contents. `false`: each order creates its own version, which is deleted with the order. RunInstances needs no launch template.',
    ),
    cleanup_old_versions: flag(
      false,
      'After a version of shared contents was added, delete the oldest beyond `max_versions_per_template`, and unused launch templates of shared contents. Only contents that were last requested in a week that ended more than 25 hours ago are deleted, so that no order that may still be launched loses its version. Contents that `separate` created while this was off stay. Launch templates and versions of an order are deleted with the order, not by age.',
    ),
    max_versions_per_template: Type.Optional(
      Type.Integer({
        default: 10,
        minimum: 1,
        maximum: 100,
        description:
          'Versions of shared contents that `cleanup_old_versions` keeps in one launch template. Versions that may still be in use stay beyond it.',
      }),
    ),
  },
  { additionalProperties: true, default: {}, description: 'Launch templates.' },
);
