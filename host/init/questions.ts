import { BrokerError } from '../../core/contract/errors.ts';
import { printableLine } from '../process/printable.ts';

/** One answer that a person may choose. */
export interface Choice<T> {
  readonly value: T;
  readonly name: string;
}

/** Asks a person. Each question has a default, which Enter takes. */
export interface Questions {
  text(message: string, fallback: string): Promise<string>;
  choose<T>(message: string, choices: readonly Choice<T>[], fallback: T): Promise<T>;
}

/** The person ended the questions, with Ctrl-C or by closing the input. */
export class QuestionsEnded extends Error {}

/** Takes the default of each question, for `--yes`. */
export const noQuestions: Questions = {
  text: async (_message, fallback) => fallback,
  choose: async (_message, _choices, fallback) => fallback,
};

/** Questions at the terminal. The library loads with the first question. */
export const terminalQuestions: Questions = {
  text: (message, fallback) =>
    answered(async () =>
      (await import('@inquirer/input')).default({ message: printableLine(message), default: fallback }),
    ),
  choose: (message, choices, fallback) =>
    answered(async () =>
      (await import('@inquirer/select')).default({
        message: printableLine(message),
        // Names come from the account.
        choices: choices.map(({ value, name }) => ({ value, name: printableLine(name) })),
        default: fallback,
        pageSize: 12,
      }),
    ),
};

async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    // Ctrl-C, and the end of the input.
    if (error instanceof Error && /^(ExitPromptError|AbortPromptError|CancelPromptError)$/.test(error.name))
      throw new QuestionsEnded('The questions were ended.', { cause: error });
    throw error;
  }
}

/** Questions for this call. Throws INVALID_REQUEST without a terminal and without `--yes`. */
export function questionsFor(yes: boolean, isTerminal: boolean): Questions {
  if (yes) return noQuestions;
  if (isTerminal) return terminalQuestions;
  throw new BrokerError(
    'INVALID_REQUEST',
    'There is no terminal to ask at. Add --yes to take the proposals, and name what shall differ: --region, --profile, --network, --image, --key-pair.',
  );
}
