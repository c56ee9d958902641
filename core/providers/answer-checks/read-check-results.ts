import { checkLevels, type CheckResult } from '../../contract/provider/provider-check.ts';
import { assertKnown, assertObject, assertShortText } from './assertions.ts';
import { ContractViolation } from './contract-violation.ts';

const known: ReadonlySet<unknown> = new Set(checkLevels);
const mostResults = 1_000;
const mostCharacters = 4_000;

/** Checks the results of a check of a provider, and returns the fields of the contract alone. */
export function readCheckResults(value: unknown): readonly CheckResult[] {
  if (!Array.isArray(value) || value.length > mostResults)
    throw new ContractViolation('', value, `a list of at most ${mostResults} results`);
  return value.map((each, index) => {
    const { level, message, remedy } = assertObject(each, `/${index}`, 'a result');
    assertKnown(level, known, `/${index}`, '/level', checkLevels);
    assertShortText(message, `/${index}`, '/message', mostCharacters);
    if (remedy !== undefined) assertShortText(remedy, `/${index}`, '/remedy', mostCharacters);
    return { level, message, ...(remedy === undefined ? {} : { remedy }) } as CheckResult;
  });
}
