import { groupAction, openGroup } from './group-action.ts';

/** Disables metrics of a group. None can be enabled here, so nothing changes. */
export const disableMetricsCollection = groupAction({
  name: 'DisableMetricsCollection',
  mutating: true,
  handle(call) {
    call.touched.push(openGroup(call).name);
    return '';
  },
});
