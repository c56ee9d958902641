import { Argument, type Command } from 'commander';
import { addExamples, type Example } from '../examples.ts';
import type { Commands } from '../program.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

const examples: readonly Example[] = [
  ['source <(muster completion bash)', 'in ~/.bashrc'],
  ['muster completion zsh > "${fpath[1]}/_muster"', 'then a new shell'],
  ['muster completion fish > ~/.config/fish/completions/muster.fish'],
];

/** `muster completion` */
export const completionCommand: Commands = (program, cli) => {
  const command = program
    .command('completion')
    .description('Print a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>').choices(shells))
    .action(async (shell: Shell) => {
      const [{ completionScript }, { programOf }] = await Promise.all([import('./completion-script.ts'), import('../program.ts')]);
      const whole: Command = await programOf(cli, () => true);
      cli.terminal.out(completionScript(shell, whole));
    });
  addExamples(command, examples);
};
