import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Operation } from '../../../core/operations/operation.ts';
import { withInteractiveDefaults } from '../../../core/operations/interactive-input.ts';
import { operations } from '../../../core/operations/registry.ts';
import { hint } from '../../../core/schema/spelling.ts';
import { HandlerDiscoveryError } from '../../sdk/errors.ts';
import type { ExecuteOperation } from '../sessions/broker-access.ts';
import { failure, success } from './envelope.ts';
import { toolOf } from './tool.ts';

export interface Toolbox {
  offered(): Tool[];
  /** Returns failures as results. Rejects only when the call was cancelled. */
  call(
    name: string,
    given: Readonly<Record<string, unknown>>,
    execute: ExecuteOperation,
    signal: AbortSignal,
  ): Promise<CallToolResult>;
}

/** Returns every operation as a tool; with `readOnly` only queries. `all`: default the operations of the broker. */
export function toolbox(readOnly: boolean, all: readonly Operation<any, any>[] = operations): Toolbox {
  const known = new Map(all.map((operation) => [operation.name, operation]));
  const offered = readOnly ? all.filter(({ kind }) => kind === 'query') : all;
  const names = offered.map(({ name }) => name);

  function find(name: string): Operation<any, any> {
    const operation = known.get(name);
    if (operation && names.includes(name)) return operation;
    const message = operation
      ? `The tool '${name}' changes something, and this server was started with --read-only.`
      : `There is no tool '${name}'${hint(name, names) || '.'}`;
    throw new HandlerDiscoveryError('NOT_FOUND', message, { operation: name });
  }

  return {
    offered: () => (readOnly || all !== operations ? offered.map(toolOf) : [...everyTool()]),
    async call(name, given, execute, signal) {
      try {
        const operation = find(name);
        return success(name, await execute(operation, withInteractiveDefaults(operation, given), signal));
      } catch (error) {
        if (signal.aborted) throw error;
        return failure(name, given, error);
      }
    },
  };
}

let tools: readonly Tool[] | undefined;
const everyTool = (): readonly Tool[] => (tools ??= (operations as readonly Operation<any, any>[]).map(toolOf));
