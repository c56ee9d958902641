import { createHash } from 'node:crypto';
import type { Action } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { itemSet, leaf } from '../../wire/xml/xml.ts';

const fields: FilterFields<string> = {
  fingerprint: fingerprintOf,
  'key-name': (name) => name,
  'key-pair-id': keyIdOf,
};

/** Shows the key pairs. Without `strict_ids` and `key_pairs`, every name is that of a key pair. */
export const describeKeyPairs: Action = {
  name: 'DescribeKeyPairs',
  mutating: false,
  handle(call) {
    const filters = readFilters(call.params, fields, true);
    const known = call.knobs.key_pairs ?? call.state.network.catalogue.key_names;
    const named = texts(call.params, 'KeyName');
    const missing = named.find((name) => !known.includes(name));
    if (missing !== undefined && (call.knobs.strict_ids || call.knobs.key_pairs !== null))
      throw new AwsError('InvalidKeyPair.NotFound', `The key pair '${missing}' does not exist`);
    const unknownId = texts(call.params, 'KeyPairId').find((id) => !known.some((name) => keyIdOf(name) === id));
    if (unknownId !== undefined)
      throw new AwsError('InvalidKeyPair.NotFound', `The key pair ID '${unknownId}' does not exist`);
    const ids = texts(call.params, 'KeyPairId');
    const chosen = named.length > 0 ? named : known.filter((name) => ids.length === 0 || ids.includes(keyIdOf(name)));
    return itemSet(
      'keySet',
      chosen.filter((name) => passes(name, filters, fields)),
      (name) =>
        leaf('keyPairId', keyIdOf(name)) +
        leaf('keyName', name) +
        leaf('keyType', 'ed25519') +
        leaf('keyFingerprint', fingerprintOf(name)) +
        '<tagSet/>',
    );
  },
};

function digest(name: string): Buffer {
  return createHash('sha256').update(name).digest();
}

function keyIdOf(name: string): string {
  return `key-0${digest(name).toString('hex').slice(0, 16)}`;
}

function fingerprintOf(name: string): string {
  return digest(name).toString('base64');
}
