import {
  codeFamilies,
  codeTable,
  codesByMessage,
  type CodeMeaning,
} from '../../../plugins/cloud/faults/code-table.ts';
import { generated } from '../page.ts';
import { tableOf } from './apis.ts';

const scopeMeanings: Readonly<Record<CodeMeaning['scope'], string>> = {
  offer: 'one pool: a machine type in a place in a market',
  template: 'what the template asks for; other templates are not concerned',
  market: 'all machines of one market, Spot or On-Demand',
  order: 'the resources or the token of one order',
  instance: 'every call of the provider instance',
  account: 'every instance with this account and region',
};

/** The page of all codes of AWS that muster knows, from the table of the plugin `cloud`. */
export function errorCodesPage(): string {
  const rows = codeTable.flatMap(({ codes, ...meaning }) =>
    codes.map((code) => [`\`${code}\``, ...cells(meaning)] as const),
  );
  return [
    '# Error codes of AWS\n',
    `${generated('cloud', 'the table of codes in the code')}\n`,
    'The code of a fault stands at the end of its message and in `fulfilment.shortfall` of the status. Its [kind](errors.md#faults-of-providers) decides what muster does next. Only faults of the kind `credentials` make a provider instance unhealthy, and only refusals of the key, the token, their expiry or the account have that kind: a template that lacks a permission fails alone. Where a person has to act (`quota`, `credentials`, `invalid`, and terms of the template), the message contains the sentence of the column "What to do".\n',
    '## What a code concerns\n',
    tableOf(
      ['Scope', 'Meaning'],
      Object.entries(scopeMeanings).map(([scope, meaning]) => [scope, meaning]),
    ),
    'A lack of capacity moves the offer behind all others for three minutes, for all templates. *Terms* means that the terms of the template lack, such as its price: other templates keep the offer in its place. A code of the kind `transient` is an error inside AWS: of a call that changes something the outcome is unknown, and a call that reads is repeated. A state reason of a machine may have a prefix (`Server.`, `Client.`), which does not count unless it stands here.\n',
    '## All codes\n',
    tableOf(
      ['Code', 'Kind', 'Concerns', 'What to do'],
      rows.toSorted(([a], [b]) => a.localeCompare(b, 'en')),
    ),
    '## Codes with several meanings\n',
    'The message decides; the first row that fits counts.\n',
    tableOf(
      ['Code', 'Message', 'Kind', 'Concerns', 'What to do'],
      codesByMessage.map(({ code, message, ...meaning }) => [pattern(code), pattern(message), ...cells(meaning)]),
    ),
    '## Codes that no row names\n',
    'A code of a family has its meaning. Any other code is `invalid` if AWS answers with a status below 500, and otherwise an error inside AWS; as a reason inside the answer of a fleet or a group it counts as temporary (`unavailable`).\n',
    tableOf(
      ['Family', 'Kind', 'Concerns', 'What to do'],
      codeFamilies.map(({ pattern: family, ...meaning }) => [pattern(family), ...cells(meaning)]),
    ),
  ].join('\n');
}

const pattern = (of: RegExp): string => `\`${of.source.replaceAll('|', '\\|')}\``;

function cells({ kind, scope, lack, advice, ofRead }: CodeMeaning): readonly [string, string, string] {
  const read = ofRead ? ` A call that reads: \`${ofRead.kind}\`, ${ofRead.scope}. ${ofRead.advice}` : '';
  return [`\`${kind}\``, lack === undefined ? scope : `${scope}, terms`, `${advice}${read}`];
}
