import { leaf } from '../../wire/xml/xml.ts';
import { groupAction } from './group-action.ts';

/** Shows the quota and the number of groups of an account in a region. Launch configurations are not simulated. */
export const describeAccountLimits = groupAction({
  name: 'DescribeAccountLimits',
  mutating: false,
  handle: ({ knobs, state }) =>
    leaf('MaxNumberOfAutoScalingGroups', knobs.quotas.groups ?? 1_000_000) +
    leaf('MaxNumberOfLaunchConfigurations', 200) +
    leaf('NumberOfAutoScalingGroups', state.groups.byName.size) +
    leaf('NumberOfLaunchConfigurations', 0),
});
