import type { ActionCall } from '../../dispatch/action.ts';
import { validationError } from '../../groups/refusals.ts';
import { type ProcessName, processNames } from '../../state/groups.ts';
import { memberTexts } from '../../wire/members.ts';

/** The processes that `ScalingProcesses` names; without the parameter, all processes. */
export function readProcesses(call: ActionCall): readonly ProcessName[] {
  const names = memberTexts(call.params, 'ScalingProcesses');
  if (names.length === 0) return processNames;
  return names.map((name) => {
    const known = processNames.find((process) => process === name);
    if (known === undefined)
      throw validationError(`The process name '${name}' is not valid. Valid names: ${processNames.join(', ')}`);
    return known;
  });
}
