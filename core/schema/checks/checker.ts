import type { TSchema } from 'typebox';
import { moreFindings, type Finding } from '../../contract/findings.ts';
import type { ConversionPlan } from '../conversion-plan.ts';
import { explain } from './explain.ts';
import { slowPatterns } from './slow-patterns.ts';
import { mostCheckMs, withinTime } from './within-time.ts';

/** Returns at most `most` findings, and with 0 one that says that there are some; none: the value fits. */
type Checker = (value: unknown, most: number) => readonly Finding[];

const none: readonly Finding[] = [];

/**
 * Compiles the checks of a schema. A pattern that may take long gets 100 ms: patterns come with plugins, values from
 * any caller, and nothing else in the process runs meanwhile.
 */
export function checkerOf(schema: TSchema, plan: ConversionPlan): Checker {
  const validator = validatorOf(schema);
  const check: Checker = (value, most) => {
    if (validator.Check(value)) return none;
    return most === 0 ? [moreFindings(1)] : explain(validator.Errors(value), plan, value, most);
  };
  const patterns = slowPatterns(schema);
  if (patterns.length === 0) return check;
  return (value, most) => withinTime(() => check(value, most))?.result ?? [tooSlow(patterns)];
}

/**
 * Loads the compiler of validators at the first check, synchronously. The loop thread checks nothing, so it never
 * loads these 300 modules.
 */
function validatorOf(schema: TSchema) {
  const load = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  return (load('typebox/compile') as typeof import('typebox/compile')).Compile(schema);
}

const tooSlow = (patterns: readonly string[]): Finding => ({
  level: 'error',
  path: '',
  message: `cannot be checked within ${mostCheckMs} ms: for one of its texts, a pattern of the schema takes too long. Correct the text, or in the plugin the pattern: ${patterns.join(' or ')}.`,
});
