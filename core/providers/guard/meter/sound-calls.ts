import { faultKinds } from '../../../contract/fault.ts';
import type { ProviderCall } from '../../../contract/provider/call.ts';
import type { Log } from '../../../contract/log.ts';
import type { CallCounter } from './provider-meter.ts';

/** No call takes longer. One number that is much too large would stay in the sum of a metric for ever. */
const longestMs = 86_400_000;
/** The most characters of an action or a code. */
const longestText = 128;

/**
 * Passes on what can be counted. What a plugin records is only shown, so a mistake in it must not fail the call that
 * the plugin is in: it is not counted, and the first one of an instance is written to the log.
 */
export function soundCalls(instance: string, counted: CallCounter, log: Log): CallCounter {
  let warned = false;
  return {
    record(call: unknown) {
      const { sound, broken } = readCall(call);
      if (sound) return counted.record(sound);
      if (warned) return;
      warned = true;
      log.warn(
        { provider_instance: instance, broken },
        `The plugin of '${instance}' recorded a call that is not counted: ${broken}. Further ones are not reported. This is a bug of the plugin.`,
      );
    },
  };
}

type Checked =
  | { readonly sound: ProviderCall; readonly broken?: never }
  | { readonly sound?: never; readonly broken: string };

function readCall(call: unknown): Checked {
  try {
    return soundCall(call);
  } catch {
    return { broken: 'it cannot be read' };
  }
}

function soundCall(call: unknown): Checked {
  if (typeof call !== 'object' || call === null) return { broken: 'it is no object' };
  const { action, ms, kind, code } = call as Readonly<Record<keyof ProviderCall, unknown>>;
  if (typeof action !== 'string' || action === '') return { broken: "its 'action' is no text" };
  // A clock that was set back during the call makes its duration negative.
  if (typeof ms !== 'number' || !(ms <= longestMs) || ms === -Infinity)
    return { broken: "its 'ms' is no duration of at most a day" };
  const known = faultKinds.find((each) => each === kind);
  if (kind !== undefined && !known) return { broken: "its 'kind' is no kind of fault" };
  return {
    sound: {
      action: action.slice(0, longestText),
      ms: Math.max(0, ms),
      ...(known ? { kind: known } : {}),
      ...(typeof code === 'string' ? { code: code.slice(0, longestText) } : {}),
    },
  };
}
