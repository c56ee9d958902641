import assert from 'node:assert/strict';
import { compile } from '../../../core/index.ts';
import type { Checks } from '../../runner.ts';
import { driverOf, type StorageSubject } from '../subject.ts';

/** Checks of the definition of a driver. */
export function checkStorageManifest({ check }: Checks, subject: StorageSubject): void {
  const driver = driverOf(subject);
  const fields = Object.entries((driver.options as { readonly properties?: Record<string, Field> }).properties ?? {});

  check('its type is a word, and it says whether it is shared', async () => {
    assert.match(
      driver.type,
      /^[a-z][a-z0-9-]*$/,
      'People write the type into the configuration: small letters, digits and hyphens.',
    );
    assert.equal(typeof driver.shared, 'boolean');
    assert.equal(typeof driver.open, 'function');
  });

  check('its options are an object of fields, none of them called `type`, each with a description', async () => {
    assert.equal((driver.options as { readonly type?: unknown }).type, 'object');
    for (const [name, { description }] of fields) {
      assert.notEqual(name, 'type', '`type` names the storage itself.');
      assert.ok(
        typeof description === 'string' && description !== '',
        `Option '${name}' has no description: the reference is made of them.`,
      );
    }
  });

  check('what the options leave out gets its default, and each default is allowed', async () => {
    const given = subject.options(await subject.place());
    const { value, findings } = compile(driver.options).parse(given);
    assert.deepEqual(findings ?? [], [], 'The options of this test do not fit the schema of the driver.');
    for (const [name, field] of fields)
      if (given[name] === undefined)
        assert.deepEqual((value as Record<string, unknown>)[name], field.default, `The default of '${name}' is lost.`);
    const defaults = Object.fromEntries(
      fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]])),
    );
    assert.deepEqual(
      compile(driver.options).parse({ ...given, ...defaults }).findings ?? [],
      [],
      'A default is not allowed by its own field.',
    );
  });
}

interface Field {
  readonly description?: unknown;
  readonly default?: unknown;
}
