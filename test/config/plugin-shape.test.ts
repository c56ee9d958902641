import test from 'ava';
import { shapeProblem } from '../../config/plugins/plugin-shape.ts';
import { definePlugin, type Capabilities } from '../../core/index.ts';
import { ScriptedCloud, scriptedApi } from '../support/scripted-cloud.ts';

const pluginWith = (capabilities: Partial<Capabilities>) =>
  definePlugin({
    name: 'acme',
    contract: 1,
    providerApis: [scriptedApi(new ScriptedCloud(capabilities).capabilities)],
  });

test('a provider API by whose capabilities nothing could be ordered is refused with a sentence', (t) => {
  t.is(shapeProblem(pluginWith({})), undefined);
  for (const machines_per_launch of [0, -1, 0.5, Number.NaN])
    t.regex(
      shapeProblem(pluginWith({ machines_per_launch })) ?? '',
      /'Scripted' whose machines_per_launch is .* at least 1/,
    );
  t.regex(shapeProblem(pluginWith({ token_valid_ms: Number.POSITIVE_INFINITY })) ?? '', /token_valid_ms is Infinity/);
  t.regex(shapeProblem(pluginWith({ offers_per_launch: 'all' as never })) ?? '', /offers_per_launch is 'all'/);
});
