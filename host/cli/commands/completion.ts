import { Argument, type Command } from 'commander';
import { addExamples, type Example } from '../examples.ts';
import type { Cli, Commands } from '../cli.ts';
import type { Shell } from './completion-script.ts';

const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

const examples: readonly Example[] = [
  ['source <(muster completion bash)', 'in ~/.bashrc'],
  ['muster completion zsh > "${fpath[1]}/_muster"', 'then a new shell'],
  ['muster completion fish > ~/.config/fish/completions/muster.fish'],
];

/** `muster completion`. `whole` returns the program with all its commands. */
export const completionCommand =
  (whole: (cli: Cli) => Promise<Command>): Commands =>
  (program, cli) => {
    const command = program
      .command('completion')
      .description('Print a script that completes commands and options in a shell.')
      .addArgument(new Argument('<shell>').choices(shells))
      .action(async (shell: Shell) => {
        const { completionScript } = await import('./completion-script.ts');
        cli.terminal.out(completionScript(shell, await whole(cli)));
      });
    addExamples(command, examples);
  };
