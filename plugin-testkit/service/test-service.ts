import assert from 'node:assert/strict';
import {
  compile,
  isError,
  type BrokerService,
  type Finding,
  type ObjectSchema,
  type Plugin,
} from '../../core/index.ts';
import { checkPlugin } from '../check-plugin.ts';
import { checksOf, type Runner } from '../runner.ts';

/** A service under test. */
export interface ServiceSubject {
  readonly test: Runner;
  readonly plugin: () => Plugin;
  /** The name of the service. Default: the only one of the plugin. */
  readonly name?: string;
  /** Sections of the configuration that the service accepts, at least one. */
  readonly settings: readonly unknown[];
}

/** Checks every rule of the contract of `BrokerService` that its declaration shows, each as a separate test. */
export function testService({ test, plugin, name, settings }: ServiceSubject): void {
  const service = plugin().services?.find((each) => name === undefined || each.name === name);
  if (!service) throw new Error(`The plugin has no service${name === undefined ? '' : ` '${name}'`}.`);
  const checks = checksOf(test, `service '${service.name}'`);
  checkPlugin(checks, plugin);
  const { check } = checks;

  check('its name is one word of small letters, and it says what it is for', async () => {
    assert.match(service.name, /^[a-z][a-z0-9]*$/, 'The name begins its routes, commands and operations.');
    assert.ok(service.summary.length > 0);
  });

  check('it accepts the settings that it is meant for, and refuses unknown fields', async () => {
    assert.ok(settings.length > 0, 'Give the kit settings that the service accepts.');
    for (const given of settings) {
      const value = settingsOf(service, given);
      assert.deepEqual(settingsOf(service, value), value, 'Settings with their defaults are settings, too.');
      const findings: readonly Finding[] = service.review?.(value as never) ?? [];
      assert.deepEqual(findings.filter(isError), []);
      const unknown = compile(service.settings as ObjectSchema).parse({ ...(given as object), no_such_field: 1 });
      assert.ok(unknown.findings, 'A mistyped field must be a finding: close the schema.');
    }
  });

  check('each operation has a name, a route and a command of the service', async () => {
    const names = (service.operations ?? []).map((operation) => operation.name);
    assert.equal(new Set(names).size, names.length, 'Two operations have one name.');
    for (const { name: own, rest, cli, kind } of service.operations ?? []) {
      assert.match(own, new RegExp(`^${service.name}_[a-z0-9_]+$`), `'${own}' must begin with '${service.name}_'.`);
      for (const { path, method } of [rest ?? []].flat()) {
        assert.ok(path.startsWith(`/${service.name}/`), `The route ${path} must be below /${service.name}/.`);
        assert.equal(method === 'GET', kind === 'query', `${own}: a query is a GET, and a command is none.`);
      }
      if (!cli) continue;
      assert.ok(cli.command.startsWith(`${service.name} `), `The command '${cli.command}' must begin with the name.`);
      assert.ok(cli.example.startsWith(`muster ${cli.command}`), `The example of '${cli.command}' must call it.`);
    }
  });

  check('the inputs of its operations are closed and described', async () => {
    for (const { name: own, input } of service.operations ?? []) {
      assert.equal(input.additionalProperties, false, `${own}: an unknown input must be refused.`);
      for (const [field, schema] of Object.entries(input.properties as Record<string, { description?: string }>))
        assert.ok(schema.description, `${own}: '${field}' has no description.`);
    }
  });

  check('each job has a name and a positive pause', async () => {
    const jobs = service.jobs ?? [];
    assert.equal(new Set(jobs.map((job) => job.name)).size, jobs.length, 'Two jobs have one name.');
    for (const job of jobs)
      for (const given of settings) {
        const every = job.every_ms(settingsOf(service, given) as never);
        assert.ok(Number.isFinite(every) && every > 0, `Job '${job.name}' pauses ${every} ms.`);
      }
  });

  check('each check of the doctor has a name, and says why it is made and what to do', async () => {
    const declared = service.checks ?? [];
    assert.equal(new Set(declared.map((each) => each.name)).size, declared.length, 'Two checks have one name.');
    for (const each of declared) {
      assert.match(each.name, /^[a-z][a-z0-9.-]*$/, `'${each.name}' is a word of small letters.`);
      assert.ok(each.why.length > 0 && each.remedy.length > 0, `'${each.name}' says why, and what to do.`);
    }
  });
}

function settingsOf(service: BrokerService<any>, given: unknown): unknown {
  const { value, findings } = compile(service.settings).parse(given);
  assert.equal(findings, undefined, JSON.stringify(findings));
  return value;
}
