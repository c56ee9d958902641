import type { Command } from 'commander';
import { loadConfiguration } from '../../../config/load.ts';
import type { BrokerService, ServiceOperation } from '../../../core/contract/service/service.ts';
import { interactiveInput } from '../../../core/operations/interactive-input.ts';
import { addCommonOptions } from '../common-options.ts';
import type { Cli } from '../cli.ts';
import type { CommandForm } from '../command-forms.ts';
import { addExamples } from '../examples.ts';
import { exitCodes } from '../exit-codes.ts';
import { openClient, purposeOf } from '../../client/open-client.ts';
import { print } from '../output/print.ts';
import type { DeclaredOperation } from './declared-operations.ts';
import { addInputs } from './input-options.ts';
import { readTexts } from './read-texts.ts';
import { requireInputs } from './operation-commands.ts';
import type { RunFlags } from './run-operation.ts';

/**
 * Adds the commands of the service that a plugin of the configuration contributes under this name. False: there is
 * none. Loads the configuration, which the commands of the broker itself do not.
 */
export async function addServiceCommands(program: Command, cli: Cli, name: string, config?: string): Promise<boolean> {
  const loaded = await loadConfiguration({
    cwd: process.cwd(),
    env: process.env,
    ...(config === undefined ? {} : { file: config }),
  });
  const services = loaded.plugins.flatMap((plugin) => plugin.services ?? []);
  const service = services.find((each) => each.name === name);
  if (!service) return false;
  const configured = name in loaded.configuration.services;
  const note = configured ? '' : ` Not configured: the configuration has no section '${name}'.`;
  const group = program.command(name).description(`${service.summary}${note}`);
  for (const operation of service.operations ?? []) addCommand(group, service, operation, cli);
  return true;
}

function addCommand(group: Command, service: BrokerService<any>, operation: ServiceOperation, cli: Cli): void {
  const { cli: declared } = operation;
  if (!declared) return;
  const form = formOf(operation, declared);
  const command = group.command(declared.command.split(' ').slice(1).join(' ')).description(operation.summary);
  addInputs(command, form.operation, []);
  addCommonOptions(command, form.operation);
  addExamples(command, [[declared.example]]);
  command.action(async (...given: unknown[]) => {
    const flags = command.opts<RunFlags & Readonly<Record<string, unknown>>>();
    const input = readTexts(form.operation, given.slice(0, form.operation.args.length), flags);
    requireInputs(form.operation, input);
    const { client } = await openClient(
      { ...flags, server: flags.server ?? true },
      purposeOf(form.operation),
      cli.terminal,
    );
    try {
      const answer = await client.call(operation.name, input);
      if (flags.output === 'table' && operation.text) cli.terminal.out(operation.text(answer as never));
      else await print(operation.name, answer, flags.output, cli.terminal, input);
      cli.code = operation.fails?.(answer as never, input) === true ? exitCodes.failed : exitCodes.done;
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === 'NOT_FOUND')
        (error as Error).message += ` The server does not serve '${service.name}': add its section and reload.`;
      throw error;
    } finally {
      await client.close();
    }
  });
}

function formOf(
  operation: ServiceOperation,
  { command, args = [], example }: NonNullable<ServiceOperation['cli']>,
): CommandForm {
  const declared: DeclaredOperation = {
    name: operation.name,
    kind: operation.kind,
    summary: operation.summary,
    command,
    args,
    example,
    // As JSON, like the declarations of the broker's own operations.
    input: JSON.parse(JSON.stringify(interactiveInput(operation as never))),
    defaults: {},
    leaves_work: false,
    needs_loop: false,
  };
  return { command, operation: declared, summary: operation.summary, example, preset: {}, watches: false };
}
