import assert from 'node:assert/strict';
import { isPlugin, type Plugin } from '../core/index.ts';
import type { Checks } from './runner.ts';

const named = ['providers', 'providerApis', 'schedulers', 'storages', 'eventSinks', 'endpoints'] as const;

/** What every plugin is, whatever it brings. */
export function checkPlugin({ check }: Checks, plugin: () => Plugin): void {
  check('the plugin was made by definePlugin, says its name, and was written for contract 1', async () => {
    const made = plugin();
    assert.ok(isPlugin(made), 'Make it with definePlugin: other objects are not recognised as plugins.');
    assert.match(
      made.name,
      /^[a-z0-9@][a-z0-9@/._-]*$/,
      'A name is small letters, digits and hyphens, as in `plugins:` of the configuration.',
    );
    assert.equal(made.contract, 1);
  });

  check('the plugin lists what it brings, and something', async () => {
    const made = plugin();
    for (const each of named)
      assert.ok(made[each] === undefined || Array.isArray(made[each]), `'${each}' must be a list.`);
    assert.ok(
      named.some((each) => (made[each] ?? []).length > 0),
      'It brings nothing: no provider, API, scheduler, storage, event sink or endpoint.',
    );
  });
}
