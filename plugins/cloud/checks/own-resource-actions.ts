/**
 * Actions on what muster made, by the id of the resource. The documented policy permits them by the tag
 * `muster:installation` of the resource, which a resource that does not exist does not have.
 */
export const ownResourceActions: ReadonlySet<string> = new Set([
  'TerminateInstances',
  'CreateLaunchTemplateVersion',
  'ModifyLaunchTemplate',
  'DeleteLaunchTemplate',
  'DeleteLaunchTemplateVersions',
]);
