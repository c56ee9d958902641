import type { Command, Option } from 'commander';

/** A command as it is written down: for help pages and completion. */
export interface CommandNode {
  /** `requests create`; empty for the program itself. */
  readonly path: string;
  readonly command: Command;
  readonly options: readonly Option[];
  readonly children: readonly CommandNode[];
}

/** The commands of a program, each with the options that help shows, in their order. */
export function commandTree(command: Command, path = ''): CommandNode {
  const children = command.commands.map((child) => commandTree(child, `${path} ${child.name()}`.trim()));
  return { path, command, options: command.options.filter(({ hidden }) => !hidden), children };
}

/** A node and all below it. */
export const nodesOf = (node: CommandNode): CommandNode[] => [node, ...node.children.flatMap(nodesOf)];
