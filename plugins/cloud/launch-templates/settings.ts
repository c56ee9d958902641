import { Type } from 'typebox';

const flag = (fallback: boolean, description: string) =>
  Type.Optional(Type.Boolean({ default: fallback, description }));

/** How the launch templates are made that fleets and groups refer to. */
export const LaunchTemplates = Type.Object(
  {
    create_per_request: flag(
      true,
      'Standing fleets, Spot fleets and groups can tag their machines through a launch template only, so each order has contents of its own: as a launch template of its own, or, with `false`, as a version of one launch template that all orders of a template share. Either goes with the order.',
    ),
    naming_strategy: Type.Optional(
      Type.Enum(['request_based', 'template_based'], {
        default: 'request_based',
        description:
          'What the name of a launch template begins with: the request and attempt that it is made for (`request_based`), or the template (`template_based`). A hash ends it, so that no two have the same. One that has versions for all orders of a template is always named after the template.',
      }),
    ),
    version_strategy: Type.Optional(
      Type.Enum(['incremental', 'separate'], {
        default: 'incremental',
        description:
          'Where changed contents that orders share are put: `incremental`: into a new version of the one launch template that the template has; `separate`: into a launch template of their own, which templates with equal contents share.',
      }),
    ),
    reuse_existing: flag(
      true,
      'Orders of instant fleets, whose machines are tagged in the call, share one version for equal contents. `false`: each order makes its own, which goes with it. RunInstances needs no launch template.',
    ),
    cleanup_old_versions: flag(
      false,
      'After a version of shared contents was added, delete the oldest beyond `max_versions_per_template`, and launch templates of shared contents that nobody uses any more. Only what was last asked for in a week that ended more than 25 hours ago is deleted, so that no order that may still be launched loses its version. Contents made by `separate` while this was off are left. What belongs to an order goes with the order, not by age.',
    ),
    max_versions_per_template: Type.Optional(
      Type.Integer({
        default: 10,
        minimum: 1,
        maximum: 100,
        description:
          'Versions of shared contents that `cleanup_old_versions` leaves of one launch template. Versions that may still be in use stay beyond it.',
      }),
    ),
  },
  { additionalProperties: true, default: {}, description: 'Launch templates.' },
);
